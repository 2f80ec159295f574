import { checkExpiry } from "#features/strategy-entry/expiry-check.ts";
import type { StrategyFields } from "#features/strategy-entry/strategy-fields.ts";
import { Button } from "#ui/button.tsx";

type ExpiryHintProps = {
  /** Id of the control; that of the hint is derived from it. */
  control: string;
  fields: StrategyFields;
  /** Undefined while the expiry cannot be changed. */
  expiry: string | undefined;
  onAccept: (day: string) => void;
  /** Position in the grid of the fields. */
  className: string;
};

/** Returns the id of the hint for a control. */
export function expiryHintId(control: string): string {
  return `${control}-doubt`;
}

/** Suggests the nearest expiry day if no contract expires on the entered day. It does not prevent saving. */
export function ExpiryHint({ control, fields, expiry, onAccept, className }: ExpiryHintProps) {
  const doubt = expiry === undefined ? undefined : checkExpiry(fields, expiry);

  function accept(day: string) {
    onAccept(day);
    // The button with the focus disappears.
    document.getElementById(control)?.focus();
  }

  return (
    <div className={className}>
      {/* Always present: a status element that is inserted together with its text may not be announced. */}
      <p role="status" id={expiryHintId(control)} className="text-data text-warn">
        {doubt && <span className="mt-2 block">{doubt.text}</span>}
      </p>
      {doubt?.suggestion && (
        <Button
          variant="secondary"
          size="sm"
          className="mt-2"
          onClick={() => doubt.suggestion && accept(doubt.suggestion.day)}
        >
          Change to {doubt.suggestion.label}
        </Button>
      )}
    </div>
  );
}
