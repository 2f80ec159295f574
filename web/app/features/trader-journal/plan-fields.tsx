import { type ReactNode, useId, useState } from "react";
import type { EntryContent } from "#features/trader-journal/journal-entry.ts";
import type { Strategy } from "#features/trader-journal/journal-subject.ts";
import { MarginSection } from "#features/trader-journal/margin-section.tsx";
import { NoteEditor } from "#features/trader-journal/note-editor.tsx";
import { parsePrice, planOutcome, strategyResultR } from "#features/trader-journal/plan-outcome.ts";
import type { Position } from "#features/trader-journal/position-facts.ts";
import { count, inrPrice } from "#lib/format.ts";
import { TextInput } from "#ui/text-input.tsx";

const PRICES = [
  { name: "plannedEntry", label: "Entry" },
  { name: "plannedStop", label: "Stop loss" },
  { name: "plannedTarget", label: "Target" },
] as const;

export type EditProps = {
  content: EntryContent;
  onEdit: (changed: Partial<EntryContent>) => void;
};

/** Plan of a position: reason, prices and risk, compared with its result. */
export function PositionPlan({ position, content, onEdit }: EditProps & { position: Position }) {
  const outcome = planOutcome(content, position);
  const misplaced = {
    plannedStop:
      position.side === "long" ? "Above the entry of a long position" : "Below the entry of a short",
    plannedTarget:
      position.side === "long" ? "Below the entry of a long position" : "Above the entry of a short",
  };
  return (
    <PlanSection content={content} onEdit={onEdit} facts={planFacts(content, position)}>
      {PRICES.map(({ name, label }) => (
        <PriceField
          key={name}
          label={label}
          value={content[name]}
          warning={name !== "plannedEntry" && outcome.misplaced.includes(name) ? misplaced[name] : ""}
          onChange={(price) => onEdit({ [name]: price })}
        />
      ))}
    </PlanSection>
  );
}

/** Plan of a strategy: reason and risk, compared with its result. */
export function StrategyPlan({ strategy, content, onEdit }: EditProps & { strategy: Strategy }) {
  const facts = resultFacts(strategyResultR(content, strategy));
  return <PlanSection content={content} onEdit={onEdit} facts={facts} />;
}

type Fact = { term: string; value: string };
type PlanSectionProps = EditProps & {
  /** Planned and actual values. */
  facts: Fact[];
  /** Fields before the risk. */
  children?: ReactNode;
};

function PlanSection({ content, onEdit, facts, children }: PlanSectionProps) {
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
        {children}
        <PriceField
          label="Risk in ₹"
          value={content.plannedRisk}
          onChange={(plannedRisk) => onEdit({ plannedRisk })}
        />
      </div>
      {facts.length > 0 && (
        <dl aria-label="Plan and result" className="mt-4 text-data">
          {facts.map(({ term, value }) => (
            <div key={term} className="flex flex-wrap justify-between gap-x-4 border-line border-t py-1">
              <dt className="text-ink-2">{term}</dt>
              <dd className="figures">{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </MarginSection>
  );
}

type PriceFieldProps = {
  label: string;
  value: number | null;
  warning?: string;
  onChange: (price: number | null) => void;
};

function PriceField({ label, value, warning = "", onChange }: PriceFieldProps) {
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

/** Returns planned and actual prices, and the result by the plan; nothing without planned prices. */
function planFacts(content: EntryContent, position: Position): Fact[] {
  const { targetR, movedPart, resultR } = planOutcome(content, position);
  return [
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
    ...resultFacts(resultR),
  ].filter((fact) => typeof fact === "object");
}

function resultFacts(resultR: number | undefined): Fact[] {
  return resultR === undefined ? [] : [{ term: "Result", value: `${toTwoDecimals(resultR)}R after charges` }];
}

function toTwoDecimals(value: number): string {
  return count(Math.round(value * 100) / 100);
}
