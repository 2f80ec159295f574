import { type ReactNode, useId } from "react";
import { isProblem } from "#lib/api.ts";
import { Button } from "#ui/button.tsx";

export type AccountSectionProps = { title: string; text?: ReactNode; children: ReactNode };

/** Section of the account page: title and text on the left, controls on the right; stacked on a phone. */
export function AccountSection({ title, text, children }: AccountSectionProps) {
  const heading = useId();
  return (
    <section
      aria-labelledby={heading}
      className="grid gap-x-12 gap-y-5 border-line border-t py-8 first:border-t-0 first:pt-0 lg:grid-cols-[17rem_minmax(0,36rem)]"
    >
      <div>
        <h2 id={heading} className="text-h4">
          {title}
        </h2>
        {text && <p className="mt-2 text-ink-2 text-ui">{text}</p>}
      </div>
      <div className="min-w-0">{children}</div>
    </section>
  );
}

export type AccountFailureProps = { error: unknown; onRetry: () => void; busy: boolean };

/** Error with a Retry button in place of a section that could not be loaded. */
export function AccountFailure({ error, onRetry, busy }: AccountFailureProps) {
  return (
    <div className="border-rule border-l py-1 pl-5">
      <p role="alert" className="font-semibold text-loss">
        {isProblem(error) && error.detail ? error.detail : "This could not be loaded."}
      </p>
      <Button variant="secondary" size="sm" pending={busy} onClick={onRetry} className="mt-4">
        Retry
      </Button>
    </div>
  );
}
