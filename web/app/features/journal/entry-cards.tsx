import clsx from "clsx";
import { memo, type ReactNode } from "react";
import type { Entry } from "#features/journal/entries.ts";
import type { EntriesProps } from "#features/journal/entry-table.tsx";
import { entryTypeLabel } from "#features/journal/entry-types.ts";
import { TotalResult, totalsText } from "#features/journal/totals.tsx";
import { WinLoss } from "#features/journal/win-loss.tsx";
import { dateTime, inrPrice, units } from "#lib/format.ts";
import { Result } from "#ui/money.tsx";

/** The entries as cards, for narrow screens. */
export function EntryCards({ list, type, newest }: EntriesProps) {
  return (
    <div className="overflow-hidden rounded-panel border border-line bg-surface max-sm:-mx-4 max-sm:rounded-none max-sm:border-x-0">
      <ul aria-label={`${entryTypeLabel(type)} trades, newest first`}>
        {list.entries.map((entry) => (
          <Card key={entry.id} entry={entry} newest={entry.id === newest} />
        ))}
      </ul>
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 border-line-strong border-t-2 px-4 py-3 text-data">
        <p className="text-ink-2">{totalsText(list)}</p>
        <span className="ml-auto">
          <TotalResult pnl={list.pnl} />
        </span>
      </div>
    </div>
  );
}

const Card = memo(function Card({ entry, newest }: { entry: Entry; newest: boolean }) {
  return (
    <li className={clsx("relative flex border-line border-b last:border-b-0", newest && "bg-brand-soft")}>
      {newest && <span aria-hidden="true" className="absolute inset-y-0 left-0 w-1 bg-marigold" />}
      <div className="w-21 shrink-0 border-rule border-r py-3 pl-4">
        <WinLoss status={entry.status} />
      </div>
      <div className="min-w-0 flex-1 px-3.5 py-3">
        <p className="flex flex-wrap items-baseline justify-between gap-x-3 text-ui">
          <strong className="min-w-0 font-semibold wrap-anywhere">{entry.symbol}</strong>
          <span className="ml-auto">
            <Result value={entry.pnl} />
          </span>
        </p>
        <dl className="mt-1.5 grid gap-x-6 gap-y-1 text-floor sm:grid-cols-2">
          <Fact label="Bought" aside={dateTime(entry.buyDateTime)}>
            {inrPrice(entry.buyPrice)}
          </Fact>
          <Fact label="Sold" aside={dateTime(entry.sellDateTime)}>
            {inrPrice(entry.sellPrice)}
          </Fact>
          <Fact label="Target price">{inrPrice(entry.targetPrice)}</Fact>
          <Fact label="Stop loss">{inrPrice(entry.stopLoss)}</Fact>
          <Fact label="Quantity">{units(entry.quantity)}</Fact>
        </dl>
      </div>
    </li>
  );
});

type FactProps = { label: string; aside?: string; children: ReactNode };

function Fact({ label, aside, children }: FactProps) {
  return (
    <div className="flex items-baseline justify-between gap-3">
      <dt className="text-ink-2">{label}</dt>
      <dd className="figures text-right">
        {children}
        {aside && <span className="block text-ink-2">{aside}</span>}
      </dd>
    </div>
  );
}
