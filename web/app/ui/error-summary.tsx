import { CircleAlert } from "lucide-react";
import { type MouseEvent, useEffect, useRef } from "react";

export type FieldMessage = { id: string; message: string };

export type ErrorSummaryProps = {
  /** In the order of the fields; `id` is the id of the control. Nothing is shown while it is empty. */
  errors: readonly FieldMessage[];
  /** Number of failed submits; each one moves the focus to the summary. */
  attempt: number;
};

/** Lists the errors of a form above it, with a link to each field. */
export function ErrorSummary({ errors, attempt }: ErrorSummaryProps) {
  const box = useRef<HTMLDivElement>(null);
  const focusedAttempt = useRef(0);
  const shown = errors.length > 0;

  // Only once per attempt: the errors may be rendered after the attempt was counted, and a field that becomes invalid
  // while the user types must not lose the focus.
  useEffect(() => {
    if (!shown || attempt === focusedAttempt.current) return;
    focusedAttempt.current = attempt;
    box.current?.focus();
  }, [attempt, shown]);

  useEffect(() => {
    if (!shown) return;
    document.title = `Error: ${document.title}`;
    return () => {
      document.title = document.title.replace(/^Error: /, "");
    };
  }, [shown]);

  if (!shown) return null;
  return (
    <div
      ref={box}
      role="alert"
      tabIndex={-1}
      className="mb-3 rounded-panel border-2 border-loss bg-surface p-5 focus:outline-2 focus:outline-focus focus:outline-offset-2"
    >
      <h2 className="flex items-center gap-2.5 text-h4">
        <CircleAlert size={20} className="shrink-0 text-loss" aria-hidden />
        There is a problem
      </h2>
      <ul className="mt-2 space-y-1">
        {errors.map(({ id, message }) => (
          <li key={id}>
            <a
              href={`#${id}`}
              onClick={focusControl}
              className="font-semibold text-loss text-ui underline underline-offset-3"
            >
              {message}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Focuses the control; following the hash would only scroll and stay in the URL. */
function focusControl(event: MouseEvent<HTMLAnchorElement>) {
  event.preventDefault();
  document.getElementById(event.currentTarget.hash.slice(1))?.focus();
}
