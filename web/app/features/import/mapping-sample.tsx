import type { Schemas } from "#lib/api.ts";
import { tradeName } from "#lib/contract.ts";
import { count, dateTime, inrPrice } from "#lib/format.ts";
import { SidePill } from "#ui/side-pill.tsx";

type Trade = Schemas["FileReport"]["sample"][number];

/** Rows shown before the trader confirms the columns. */
const MAX_ROWS = 5;

/** First rows of a file as trades. */
export function MappingSample({ trades }: { trades: readonly Trade[] }) {
  if (trades.length === 0) return null;
  return (
    <ul aria-label="First trades" className="mt-2 max-w-4xl border-line border-t text-data">
      {trades.slice(0, MAX_ROWS).map((trade, index) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole
          key={index}
          className="flex flex-wrap items-center gap-x-4 gap-y-1 border-line border-b py-2"
        >
          <SidePill side={trade.type} />
          <span className="min-w-28 font-semibold">{tradeName(trade)}</span>
          <span className="figures">
            {count(trade.quantity)} at {inrPrice(trade.price)}
          </span>
          <span className="figures text-ink-2">
            {trade.timestamp && dateTime(trade.timestamp, trade.timePrecision)} · {trade.exchange}
          </span>
        </li>
      ))}
    </ul>
  );
}
