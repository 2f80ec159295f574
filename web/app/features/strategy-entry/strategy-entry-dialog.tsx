import { Plus } from "lucide-react";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { fieldId } from "#features/strategy-entry/field-id.ts";
import { LegCard } from "#features/strategy-entry/leg-card.tsx";
import { SharedFields } from "#features/strategy-entry/shared-fields.tsx";
import { addLeg, MAX_LEGS } from "#features/strategy-entry/strategy-fields.ts";
import { StrategySummaryLine } from "#features/strategy-entry/strategy-summary-line.tsx";
import { legField } from "#features/strategy-entry/strategy-validation.ts";
import {
  type AddedStrategy,
  type StrategyEntry,
  type StrategyEntryOptions,
  useStrategyEntry,
} from "#features/strategy-entry/use-strategy-entry.ts";
import { STRATEGIES_PATH } from "#lib/analytics-paths.ts";
import { bookName } from "#lib/books.ts";
import { count, plural } from "#lib/format.ts";
import { Button, ButtonLink } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";
import { Progress } from "#ui/progress.tsx";

/** Full screen on a phone. */
const SIZE =
  "max-w-4xl! max-sm:m-0! max-sm:h-dvh max-sm:max-h-none! max-sm:w-full! max-sm:max-w-full! max-sm:rounded-none! max-sm:border-0!";

export type StrategyEntryDialogProps = StrategyEntryOptions & { onClose: () => void };

/** Dialog that adds all trades of an option strategy. */
export function StrategyEntryDialog({ onClose, ...options }: StrategyEntryDialogProps) {
  const entry = useStrategyEntry(options);
  const { added, progress, isDirty } = entry;
  const form = useId();
  const [leaving, setLeaving] = useState(false);

  function requestClose() {
    // The result of the trades that are being sent is not known yet.
    if (progress) return;
    if (isDirty) setLeaving(true);
    else onClose();
  }

  useEscape(!leaving, requestClose);

  return (
    <>
      <Dialog
        open
        onClose={requestClose}
        title="Add a strategy"
        className={SIZE}
        actions={
          added ? (
            <AddedActions onClose={onClose} onRestart={entry.restart} />
          ) : (
            <FormActions entry={entry} form={form} onCancel={requestClose} />
          )
        }
      >
        {/* Always present: a status element that is inserted together with its text may not be announced. */}
        <p role="status" className="text-ink text-ui">
          {added && addedText(added)}
        </p>
        {!added && <StrategyForm entry={entry} id={form} />}
      </Dialog>
      <DiscardDialog entry={entry} open={leaving} onStay={() => setLeaving(false)} onDiscard={onClose} />
    </>
  );
}

/**
 * Handles Escape before the browser does, which does not always let a page keep a dialog open. Fields that use the key
 * themselves prevent its default action.
 */
function useEscape(active: boolean, onEscape: () => void) {
  useEffect(() => {
    if (!active) return;
    const handleKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      event.preventDefault();
      onEscape();
    };
    document.addEventListener("keydown", handleKey);
    return () => document.removeEventListener("keydown", handleKey);
  }, [active, onEscape]);
}

/**
 * Moves the focus if the focused button has disappeared: to the last leg after a leg was removed or the last one added,
 * to the quantity when the form of the next strategy appears.
 */
function useFormFocus(legs: number) {
  const legsBefore = useRef<number>(undefined);
  useEffect(() => {
    const field = legsBefore.current === undefined ? "quantity" : legField(legs - 1, "strike");
    legsBefore.current = legs;
    if (document.activeElement === document.body) document.getElementById(fieldId(field))?.focus();
  }, [legs]);
}

function addedText({ trades, book }: AddedStrategy): string {
  return `${plural(trades, "trade")} added to ${bookName(book)}.`;
}

function StrategyForm({ entry, id }: { entry: StrategyEntry; id: string }) {
  const { fields, change, errors, failure, submit, tries, locks } = entry;
  const focusedTry = useRef(0);
  const [firstError] = errors.keys();
  useFormFocus(fields.legs.length);

  // Only once per try: a field that becomes invalid while the user types must not lose the focus.
  useEffect(() => {
    if (tries === focusedTry.current) return;
    focusedTry.current = tries;
    if (firstError) document.getElementById(fieldId(firstError))?.focus();
    // The field with the focus may be disabled now.
    else if (failure) document.querySelector<HTMLElement>(`button[form="${CSS.escape(id)}"]`)?.focus();
  }, [tries, firstError, failure, id]);

  function send(event: FormEvent) {
    event.preventDefault();
    void submit();
  }

  return (
    <form id={id} method="post" noValidate aria-label="Option strategy" onSubmit={send} className="text-ink">
      <SharedFields entry={entry} />
      <div className="mt-5 space-y-3">
        {fields.legs.map((leg, index) => (
          <LegCard key={leg.id} entry={entry} leg={leg} index={index} />
        ))}
      </div>
      {fields.template === "custom" && fields.legs.length < MAX_LEGS && !locks.any && (
        <Button
          variant="secondary"
          icon={<Plus size={18} aria-hidden />}
          className="mt-3"
          onClick={() => change(addLeg(fields))}
        >
          Add a leg
        </Button>
      )}
      <StrategySummaryLine fields={fields} />
    </form>
  );
}

type FormActionsProps = { entry: StrategyEntry; form: string; onCancel: () => void };

function FormActions({ entry: { progress, failure, savedCount }, form, onCancel }: FormActionsProps) {
  return (
    <>
      {progress && (
        <div className="w-full">
          <p className="pb-1.5 text-data text-ink-2">
            {count(progress.saved)} of {plural(progress.total, "trade")} saved
          </p>
          <Progress label="Saving trades" value={progress.saved / progress.total} />
        </div>
      )}
      {failure && (
        <p role="alert" className="w-full font-semibold text-loss text-ui">
          {savedCount > 0 && `${plural(savedCount, "trade is", "trades are")} saved. `}
          {failure.text}
        </p>
      )}
      <Button variant="secondary" onClick={onCancel}>
        Cancel
      </Button>
      <Button type="submit" form={form} pending={progress !== undefined}>
        {failure ? "Try again" : "Save strategy"}
      </Button>
    </>
  );
}

function AddedActions({ onClose, onRestart }: { onClose: () => void; onRestart: () => void }) {
  const link = useRef<HTMLAnchorElement>(null);
  // The button with the focus has disappeared.
  useEffect(() => link.current?.focus(), []);
  return (
    <>
      <Button variant="quiet" onClick={onClose}>
        Close
      </Button>
      <Button variant="secondary" onClick={onRestart}>
        Add another strategy
      </Button>
      {/* The strategies can be the current page. */}
      <ButtonLink ref={link} to={STRATEGIES_PATH} onClick={onClose}>
        See all strategies
      </ButtonLink>
    </>
  );
}

type DiscardDialogProps = {
  entry: StrategyEntry;
  open: boolean;
  onStay: () => void;
  onDiscard: () => void;
};

/** Asks for confirmation before the typed values are lost. */
function DiscardDialog({ entry: { savedCount }, open, onStay, onDiscard }: DiscardDialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onStay}
      title="Discard this strategy?"
      actions={
        <>
          <Button variant="secondary" data-autofocus onClick={onStay}>
            Keep editing
          </Button>
          <Button variant="danger" onClick={onDiscard}>
            Discard
          </Button>
        </>
      }
    >
      <p>
        {savedCount > 0
          ? `${plural(savedCount, "trade is", "trades are")} saved and will stay in the Trade Log. The others are not added.`
          : "Its trades are not added to the log."}
      </p>
    </Dialog>
  );
}
