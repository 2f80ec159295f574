import type { EntryList } from "#features/journal/entries.ts";
import { count, plural } from "#lib/format.ts";
import { Result } from "#ui/money.tsx";

/** Of all entries of the kind, also of those further down that are not loaded. */
export function totalWords({ total, wins }: EntryList): string {
  return `${plural(total, "trade")}, ${count(wins)} WIN and ${count(total - wins)} LOSS. Before charges.`;
}

export function TotalResult({ pnl }: { pnl: number }) {
  return (
    <span className={`double-rule pb-0.5 ${pnl > 0 ? "text-gain" : pnl < 0 ? "text-loss" : "text-ink-3"}`}>
      <Result value={pnl} />
    </span>
  );
}
