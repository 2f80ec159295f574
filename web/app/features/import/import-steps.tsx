import clsx from "clsx";
import { Check } from "lucide-react";
import type { Step } from "#features/import/import-item.ts";

const STEPS = [
  { step: "file", label: "File" },
  { step: "check", label: "Check" },
  { step: "review", label: "Review" },
  { step: "done", label: "Done" },
] as const;

/** Steps of an import with the current one marked. A file without issues passes all of them at once. */
export function ImportSteps({ now }: { now: Step }) {
  const at = STEPS.findIndex(({ step }) => step === now);
  return (
    <ol aria-label="Steps of an import" className="flex flex-wrap items-center gap-x-2 text-data sm:gap-x-3">
      {STEPS.map(({ step, label }, index) => (
        <li
          key={step}
          aria-current={index === at ? "step" : undefined}
          className={clsx(
            "flex items-center gap-1.5 sm:gap-2",
            index === at ? "font-semibold" : "text-ink-2",
          )}
        >
          {index > 0 && <span aria-hidden="true" className="mr-0.5 h-px w-3 bg-line-strong sm:mr-1 sm:w-5" />}
          <span
            aria-hidden="true"
            className={clsx(
              "flex size-6 items-center justify-center rounded-full text-floor",
              index === at ? "bg-brand font-semibold text-on-brand" : "border",
              index < at ? "border-brand text-brand" : index > at && "border-line-strong",
              index !== at && "max-sm:hidden",
            )}
          >
            {index < at ? <Check size={14} strokeWidth={2.5} /> : index + 1}
          </span>
          {label}
          {index < at && <span className="sr-only">, done</span>}
        </li>
      ))}
    </ol>
  );
}
