import { useState } from "react";
import {
  type Choice,
  type Choices,
  type Conflict,
  choiceOf,
  type DecisionCounts,
} from "#features/import/preview.ts";
import { tradeName } from "#lib/contract.ts";
import { count, dateTime, inrPrice, plural } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";
import { PAGE_SIZE, ShowMore } from "#ui/show-more.tsx";

export type ConflictListProps = {
  conflicts: readonly Conflict[];
  total: number;
  choices: Choices;
  counts: DecisionCounts;
  onChoose: (choices: Choices) => void;
};

/** Conflicts of a file: trades whose data in the file differ from an earlier file. Each is decided, or all at once. */
export function ConflictList({ conflicts, total, choices, counts, onChoose }: ConflictListProps) {
  const [shown, setShown] = useState(PAGE_SIZE);
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 border-line border-t px-4 py-4 sm:px-5">
        <div className="min-w-0 flex-1 basis-72">
          <h3 className="font-sans font-semibold text-ui tracking-normal">
            {plural(total, "trade differs", "trades differ")} from the broker&rsquo;s earlier file
          </h3>
          <p className="text-data text-ink-2" role="status">
            {counts.undecided === 0
              ? "All are decided."
              : `${count(counts.undecided)} not decided. They stay as they are, and we ask again at the next import.`}
          </p>
        </div>
        <div className="flex flex-wrap gap-2 max-sm:w-full">
          <Button
            size="sm"
            variant="secondary"
            className="max-sm:w-full"
            onClick={() => onChoose({ byId: {}, others: "keep" })}
          >
            Keep all mine
          </Button>
          <Button
            size="sm"
            variant="secondary"
            className="max-sm:w-full"
            onClick={() => onChoose({ byId: {}, others: "take" })}
          >
            Use all of the broker's
          </Button>
        </div>
      </div>
      <ul aria-label="Conflicts">
        {conflicts.slice(0, shown).map((conflict) => (
          <ConflictEntry
            key={conflict.id}
            conflict={conflict}
            choice={choiceOf(conflict, choices)}
            onChoose={(choice) => onChoose({ ...choices, byId: { ...choices.byId, [conflict.id]: choice } })}
          />
        ))}
      </ul>
      <ShowMore shown={shown} total={conflicts.length} onMore={() => setShown(shown + PAGE_SIZE)} />
      {conflicts.length < total && (
        <p className="border-line border-t px-4 py-3 text-data text-ink-2 sm:px-5">
          Only the first {count(conflicts.length)} are listed. The two buttons above apply to all.
        </p>
      )}
    </>
  );
}

type EntryProps = {
  conflict: Conflict;
  choice: Choice | undefined;
  onChoose: (choice: Choice) => void;
};

function ConflictEntry({ conflict: { id, row, trade, before, now }, choice, onChoose }: EntryProps) {
  const edited = tradeText(before) !== tradeText(trade);
  return (
    <li className="flex border-line border-t">
      <div className="figures w-20 shrink-0 border-rule border-r px-3 pt-3 text-right text-data lg:w-26 lg:pt-5">
        <span className="sr-only">Row </span>
        {row ?? "–"}
      </div>
      <fieldset className="grid min-w-0 flex-1 items-start gap-x-5 gap-y-3 px-4 py-3 lg:grid-cols-[minmax(0,1fr)_minmax(0,2fr)]">
        <legend className="sr-only">
          {tradeName(trade)}, {dateTime(trade.timestamp, trade.timePrecision)}
        </legend>
        <p className="min-w-0 text-data lg:pt-2" aria-hidden="true">
          <span className="block break-words font-semibold text-ui">{tradeName(trade)}</span>
          <span className="figures text-ink-2">{dateTime(trade.timestamp, trade.timePrecision)}</span>
        </p>
        <div className="grid gap-2 sm:grid-cols-2">
          <Option
            name={`conflict-${id}`}
            label="Keep mine"
            figures={tradeText(trade)}
            note={edited ? `You edited this trade. The broker's earlier file has ${tradeText(before)}.` : ""}
            checked={choice === "keep"}
            onChoose={() => onChoose("keep")}
          />
          <Option
            name={`conflict-${id}`}
            label="Use the broker's"
            figures={tradeText(now)}
            note=""
            checked={choice === "take"}
            onChoose={() => onChoose("take")}
          />
        </div>
      </fieldset>
    </li>
  );
}

type OptionProps = {
  name: string;
  label: string;
  figures: string;
  note: string;
  checked: boolean;
  onChoose: () => void;
};

function Option({ name, label, figures, note, checked, onChoose }: OptionProps) {
  return (
    <label className="flex cursor-pointer gap-2.5 rounded-control border border-line-strong px-3 py-2 has-checked:border-brand has-checked:bg-brand-soft hover:border-brand">
      <input
        type="radio"
        name={name}
        checked={checked}
        onChange={onChoose}
        className="mt-1 size-4 shrink-0 accent-brand"
      />
      <span className="min-w-0 text-data">
        <span className="block font-semibold text-ui">{label}</span>
        <span className="figures block break-words">{figures}</span>
        {note && <span className="block text-ink-2">{note}</span>}
      </span>
    </label>
  );
}

/** Returns "BUY 100 at ₹1,500.00". */
function tradeText({ type, quantity, price }: Conflict["now"]): string {
  return `${type === "buy" ? "BUY" : "SELL"} ${count(quantity)} at ${inrPrice(price)}`;
}
