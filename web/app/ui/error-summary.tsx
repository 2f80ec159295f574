import { CircleAlert } from "lucide-react";
import { type MouseEvent, useEffect, useRef } from "react";

export type FieldMessage = { id: string; message: string };

export type ErrorSummaryProps = {
  /** In the order of the fields; `id` is the id of the control. Draws nothing while it is empty. */
  errors: readonly FieldMessage[];
  /** Counts failed submits; each one takes the focus here. */
  attempt: number;
};

/** What went wrong with a form, at its head, with a link to each field. */
export function ErrorSummary({ errors, attempt }: ErrorSummaryProps) {
  const box = useRef<HTMLDivElement>(null);
  const answered = useRef(0);
  const shown = errors.length > 0;

  // Once for each attempt: the errors may be drawn after it was counted, and a field that turns wrong again
  // while one types in it must not lose the focus.
  useEffect(() => {
    if (!shown || attempt === answered.current) return;
    answered.current = attempt;
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

/** To the control itself: the hash would only scroll, and would stay in the address. */
function focusControl(event: MouseEvent<HTMLAnchorElement>) {
  event.preventDefault();
  document.getElementById(event.currentTarget.hash.slice(1))?.focus();
}
