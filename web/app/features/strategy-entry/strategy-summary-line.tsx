import { summarizeStrategy } from "#features/strategy-entry/planned-trades.ts";
import type { StrategyFields } from "#features/strategy-entry/strategy-fields.ts";
import { inr, plural } from "#lib/format.ts";
import { Result } from "#ui/money.tsx";

/** Net credit or debit of the entries, the result of a closed strategy, and the trades that will be added. */
export function StrategySummaryLine({ fields }: { fields: StrategyFields }) {
  const { net, result, entries, exits } = summarizeStrategy(fields);
  const label = net === undefined ? "Net credit or debit" : net < 0 ? "Net debit" : "Net credit";
  return (
    <div className="mt-5 flex min-h-14 flex-wrap items-baseline justify-between gap-x-6 gap-y-1 border-line border-y py-3 text-ui">
      <p className="flex items-baseline gap-x-3">
        <span className="text-ink-2">{label}</span>
        {/* Not a live region, which would be read out at every key. */}
        <output aria-label="Net credit or debit" aria-live="off" className="figures font-semibold text-h4">
          {net === undefined ? <span className="text-ink-3">–</span> : inr(Math.abs(net))}
        </output>
      </p>
      {exits > 0 && result !== undefined && (
        <p className="flex items-baseline gap-x-3">
          <span className="text-ink-2">Profit or loss, before charges</span>
          <output aria-label="Profit or loss" aria-live="off">
            <Result value={result} />
          </output>
        </p>
      )}
      <p className="text-ink-2">{tradesText(entries, exits)}</p>
    </div>
  );
}

/** Returns "8 trades: 4 entries, 4 exits", or "4 trades: 4 entries" for an open position. */
function tradesText(entries: number, exits: number): string {
  const parts = [plural(entries, "entry", "entries"), ...(exits > 0 ? [plural(exits, "exit")] : [])];
  return `${plural(entries + exits, "trade")}: ${parts.join(", ")}`;
}
