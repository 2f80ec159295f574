import { type FormEvent, useId, useState } from "react";
import type { Issue, IssueAnswer, ProposedAnswer } from "#features/analytics/fix/fix-texts.ts";
import { count, date } from "#lib/format.ts";
import { parseDate } from "#lib/period.ts";
import { plainNumber } from "#lib/typed-number.ts";
import { Button } from "#ui/button.tsx";
import { CONTROL } from "#ui/text-input.tsx";

export type AnswerFormProps = {
  issue: Issue;
  answer: ProposedAnswer;
  busy: boolean;
  onAnswer: (answer: IssueAnswer) => void;
};

type Field = ProposedAnswer["inputs"][number];

const LABELS: Readonly<Record<Issue["kind"], Partial<Record<Field, string>>>> = {
  missingCost: { date: "Which day did you buy?", price: "Price per share", quantity: "Shares" },
  settlement: { date: "Settlement day", price: "Settlement price" },
  corporateAction: { date: "Day of payment", price: "Amount received" },
  unknownInstrument: {},
  unknownRates: {},
  fileGap: {},
  oddPrice: {},
  fairValue: { price: "Highest on 31 Jan 2018" },
};

/** Fields of an answer that only the trader can give, with a button that stores it. */
export function AnswerForm({ issue, answer, busy, onAnswer }: AnswerFormProps) {
  const id = useId();
  const [values, setValues] = useState<Partial<Record<Field, string>>>(
    answer.maxQuantity === null ? {} : { quantity: String(answer.maxQuantity) },
  );
  const [errors, setErrors] = useState<Partial<Record<Field, string>>>({});

  function submit(event: FormEvent) {
    event.preventDefault();
    const messages = Object.fromEntries(
      answer.inputs.flatMap((field) => {
        const error = fieldError(field, plainNumber(values[field] ?? ""), answer);
        return error ? [[field, error]] : [];
      }),
    );
    setErrors(messages);
    const first = answer.inputs.find((field) => messages[field]);
    if (first) {
      document.getElementById(`${id}-${first}`)?.focus();
      return;
    }
    const { date: day, price, quantity } = values;
    onAnswer({
      issueId: issue.id,
      answer: answer.code,
      ...(day && { date: day }),
      ...(price && { price: Number(plainNumber(price)) }),
      ...(quantity && { quantity: Number(plainNumber(quantity)) }),
    });
  }

  return (
    <form
      noValidate
      onSubmit={submit}
      aria-label={`${answer.label}: ${issue.title}`}
      className="flex flex-wrap items-start gap-x-3 gap-y-2"
    >
      {answer.inputs.map((field) => (
        <div key={field} className={field === "date" ? "min-w-40 basis-40" : "min-w-24 max-w-36 flex-1"}>
          <label htmlFor={`${id}-${field}`} className="text-data">
            {LABELS[issue.kind][field]}
          </label>
          <input
            id={`${id}-${field}`}
            type={field === "date" ? "date" : "text"}
            inputMode={field === "price" ? "decimal" : field === "quantity" ? "numeric" : undefined}
            max={field === "date" ? (answer.latestDate ?? undefined) : undefined}
            autoComplete="off"
            value={values[field] ?? ""}
            aria-invalid={errors[field] ? true : undefined}
            aria-describedby={errors[field] ? `${id}-${field}-error` : undefined}
            onChange={(event) => setValues({ ...values, [field]: event.currentTarget.value })}
            className={`${CONTROL} mt-1 px-2.5! text-data!`}
          />
          {errors[field] && (
            <p id={`${id}-${field}-error`} className="mt-1 font-semibold text-floor text-loss">
              {errors[field]}
            </p>
          )}
        </div>
      ))}
      <Button type="submit" variant="secondary" size="sm" pending={busy} className="mt-6.5 h-11! text-data!">
        Save
        <span className="sr-only">{`: ${issue.title}`}</span>
      </Button>
    </form>
  );
}

/** Returns the message about an invalid value. */
function fieldError(field: Field, value: string, answer: ProposedAnswer): string | undefined {
  switch (field) {
    case "date":
      if (!parseDate(value)) return "Enter the day.";
      if (answer.latestDate && value > answer.latestDate)
        return `Enter a day up to ${date(answer.latestDate)}.`;
      return undefined;
    case "price":
      if (!/^(\d+\.?|\d*\.\d{1,4})$/.test(value)) return "Enter the price in figures, such as 142.35.";
      return Number(value) < 1e11 ? undefined : "Enter a price below ₹1,00,00,00,00,000.";
    case "quantity": {
      const max = answer.maxQuantity ?? 999_999_999;
      const valid = /^\d+$/.test(value) && Number(value) > 0 && Number(value) <= max;
      return valid ? undefined : `Enter a whole number from 1 to ${count(max)}.`;
    }
  }
}
