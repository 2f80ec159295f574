import { useId, useState } from "react";
import type { EntryContent } from "#features/trader-journal/journal-entry.ts";
import { MarginSection } from "#features/trader-journal/margin-section.tsx";
import { NoteEditor } from "#features/trader-journal/note-editor.tsx";
import { parsePrice, planOutcome } from "#features/trader-journal/plan-outcome.ts";
import type { Position } from "#features/trader-journal/position-facts.ts";
import { count, inrPrice } from "#lib/format.ts";
import { TextInput } from "#ui/text-input.tsx";

const PRICES = [
  { name: "plannedEntry", label: "Entry" },
  { name: "plannedStop", label: "Stop loss" },
  { name: "plannedTarget", label: "Target" },
  { name: "plannedRisk", label: "Risk in ₹" },
] as const;

type PlanFieldsProps = {
  position: Position;
  content: EntryContent;
  onEdit: (changed: Partial<EntryContent>) => void;
};

/** Plan of a position: reason, prices and risk, compared with its result. */
export function PlanFields({ position, content, onEdit }: PlanFieldsProps) {
  const outcome = planOutcome(content, position);
  const misplaced = {
    plannedStop:
      position.side === "long" ? "Above the entry of a long position" : "Below the entry of a short",
    plannedTarget:
      position.side === "long" ? "Below the entry of a long position" : "Above the entry of a short",
  };
  return (
    <MarginSection title="Plan" hint="Before the trade">
      <NoteEditor
        label="Plan"
        rows={2}
        value={content.plan}
        placeholder="Why this trade, and what would prove it wrong"
        onChange={(plan) => onEdit({ plan })}
      />
      <div className="mt-3 grid grid-cols-2 gap-3 sm:grid-cols-4">
        {PRICES.map(({ name, label }) => (
          <PriceField
            key={name}
            label={label}
            value={content[name]}
            warning={
              (name === "plannedStop" || name === "plannedTarget") && outcome.misplaced.includes(name)
                ? misplaced[name]
                : ""
            }
            onChange={(price) => onEdit({ [name]: price })}
          />
        ))}
      </div>
      <Outcome content={content} position={position} />
    </MarginSection>
  );
}

type PriceFieldProps = {
  label: string;
  value: number | null;
  warning: string;
  onChange: (price: number | null) => void;
};

function PriceField({ label, value, warning, onChange }: PriceFieldProps) {
  const id = useId();
  /** Text while the field is edited, and as long as it is no price. */
  const [text, setText] = useState<string>();
  const isInvalid = text !== undefined && parsePrice(text) === undefined;
  const message = isInvalid ? "A price above 0, with at most 4 decimals" : warning;
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1 block text-data text-ink-2">
        {label}
      </label>
      <TextInput
        id={id}
        inputMode="decimal"
        autoComplete="off"
        value={text ?? (value === null ? "" : String(value))}
        aria-invalid={isInvalid || undefined}
        aria-describedby={message ? `${id}-message` : undefined}
        className="figures"
        onChange={(event) => {
          setText(event.target.value);
          const price = parsePrice(event.target.value);
          if (price !== undefined) onChange(price);
        }}
        onBlur={() => !isInvalid && setText(undefined)}
      />
      {message && (
        <p id={`${id}-message`} className={`mt-1 text-data ${isInvalid ? "text-loss" : "text-warn"}`}>
          {message}
        </p>
      )}
    </div>
  );
}

/** Planned and actual prices, and the result by the plan. Nothing without planned prices. */
function Outcome({ content, position }: Pick<PlanFieldsProps, "content" | "position">) {
  const { targetR, movedPart, resultR } = planOutcome(content, position);
  const facts = [
    content.plannedEntry !== null && {
      term: "Entry",
      value: `${inrPrice(content.plannedEntry)} planned, ${inrPrice(position.entryPrice)} average`,
    },
    content.plannedTarget !== null &&
      position.exitPrice !== null && {
        term: "Exit",
        value: `${inrPrice(content.plannedTarget)} planned, ${inrPrice(position.exitPrice)} average`,
      },
    targetR !== undefined && { term: "Target", value: `${toTwoDecimals(targetR)} times the risk` },
    movedPart !== undefined && { term: "Planned move", value: `${Math.round(movedPart * 100)}% reached` },
    resultR !== undefined && { term: "Result", value: `${toTwoDecimals(resultR)}R after charges` },
  ].filter((fact) => typeof fact === "object");
  if (facts.length === 0) return null;
  return (
    <dl aria-label="Plan and result" className="mt-4 text-data">
      {facts.map(({ term, value }) => (
        <div key={term} className="flex flex-wrap justify-between gap-x-4 border-line border-t py-1">
          <dt className="text-ink-2">{term}</dt>
          <dd className="figures">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function toTwoDecimals(value: number): string {
  return count(Math.round(value * 100) / 100);
}
