import type { EntryList } from "#features/journal/entries.ts";
import { count, plural } from "#lib/format.ts";
import { Result } from "#ui/money.tsx";

/** Summarises all entries of the type, including those that are not loaded. */
export function totalsText({ total, wins }: EntryList): string {
  return `${plural(total, "trade")}, ${count(wins)} WIN and ${count(total - wins)} LOSS. Before charges.`;
}

export function TotalResult({ pnl }: { pnl: number }) {
  return (
    <span className={`double-rule pb-0.5 ${pnl > 0 ? "text-gain" : pnl < 0 ? "text-loss" : "text-ink-3"}`}>
      <Result value={pnl} />
    </span>
  );
}
