import { type FormEvent, useId, useState } from "react";
import { dateError, type Repair } from "#features/analytics/reconcile/repairs.ts";
import type { Repairs } from "#features/analytics/reconcile/use-repairs.ts";
import { Button } from "#ui/button.tsx";
import { CONTROL } from "#ui/text-input.tsx";

export type RepairFormProps = {
  repair: Repair;
  /** Name of the share or contract. */
  name: string;
  repairs: Repairs;
};

/** Button that repairs one difference, with the day that the report does not state. */
export function RepairForm({ repair, name, repairs: { busy, dates, setDate, apply } }: RepairFormProps) {
  const id = useId();
  const [submitted, setSubmitted] = useState(false);
  const { issueId, answer } = repair.answer;
  const error = submitted ? dateError(repair, dates) : undefined;

  function submit(event: FormEvent) {
    event.preventDefault();
    setSubmitted(true);
    if (dateError(repair, dates)) document.getElementById(id)?.focus();
    else void apply(issueId, [repair]);
  }

  return (
    <form
      noValidate
      onSubmit={submit}
      aria-label={`Repair ${name}`}
      data-print="no"
      className="mt-2 flex flex-wrap items-end gap-x-3 gap-y-2"
    >
      {repair.dateRequired && (
        <div className="min-w-40">
          <label htmlFor={id} className="block text-ink">
            {answer === "bought" ? "Which day did you buy?" : "Settlement day"}
          </label>
          {error && (
            <p id={`${id}-error`} className="font-semibold text-floor text-loss">
              {error}
            </p>
          )}
          <input
            id={id}
            type="date"
            max={repair.latestDate ?? undefined}
            autoComplete="off"
            value={dates[issueId] ?? ""}
            aria-invalid={error ? true : undefined}
            aria-describedby={error ? `${id}-error` : undefined}
            onChange={(event) => setDate(repair, event.currentTarget.value)}
            className={`${CONTROL} mt-1 px-2.5! text-data!`}
          />
        </div>
      )}
      <Button
        type="submit"
        variant="secondary"
        size="sm"
        pending={busy === issueId}
        className="h-auto! min-h-10 whitespace-normal! py-1.5 text-left text-data! pointer-coarse:min-h-11"
      >
        {repair.label}
        <span className="sr-only">{`: ${name}`}</span>
      </Button>
    </form>
  );
}
