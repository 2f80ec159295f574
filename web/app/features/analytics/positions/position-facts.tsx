import clsx from "clsx";
import { Link } from "react-router";
import { FRESH, type PositionDetail } from "#features/analytics/analytics-api.ts";
import { duration } from "#features/analytics/analytics-format.ts";
import { CHARGE_NAMES } from "#features/analytics/charges/charge-table.tsx";
import { SEGMENTS } from "#features/analytics/filters/groupings.ts";
import { strategyName } from "#features/analytics/strategies/strategy-names.ts";
import { useViewer } from "#features/analytics/viewer.ts";
import { strategyPath } from "#lib/analytics-paths.ts";
import { $api } from "#lib/api-query.ts";
import { brokerAccountName } from "#lib/books.ts";
import { count, date, inrPaise, inrPrice, plural, time } from "#lib/format.ts";
import { multiple } from "#lib/ratio-format.ts";
import { LoadFailure } from "#ui/load-failure.tsx";
import { Result } from "#ui/money.tsx";
import { SidePill } from "#ui/side-pill.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

/** Loads a position with its trades and charges. */
export function usePosition(id: string) {
  const viewer = useViewer();
  return $api.useQuery(
    "get",
    "/analytics/positions/{id}",
    { params: { path: { id } }, ...viewer.requestInit },
    FRESH,
  );
}

/** Facts of a position in its side panel and on its page: result, prices, trades with their lots, and charges. */
export function PositionFacts({ query }: { query: ReturnType<typeof usePosition> }) {
  if (query.data) return <Detail detail={query.data} />;
  if (query.isError)
    return <LoadFailure error={query.error} busy={query.isFetching} onRetry={() => void query.refetch()} />;
  return <TableSkeleton label="Loading the position" columns={3} />;
}

function Detail({
  detail: { position, trades, totalTrades, charges, stopLoss, strategies },
}: {
  detail: PositionDetail;
}) {
  const segment = SEGMENTS.find(({ value }) => value === position.segment)?.label;
  const isTimed = position.timePrecision !== "day";
  const at = (iso: string) => (isTimed ? `${date(iso)}, ${time(iso)}` : date(iso));
  const until = position.closedAt ? ` to ${at(position.closedAt)}` : ", still open";
  const facts = [
    { term: "Bought or sold at", value: `${inrPrice(position.entryPrice)} average` },
    position.exitPrice !== null && { term: "Closed at", value: `${inrPrice(position.exitPrice)} average` },
    stopLoss !== undefined && { term: "Stop loss", value: inrPrice(stopLoss) },
    position.initialRisk !== undefined && { term: "Initial risk", value: inrPaise(position.initialRisk) },
    position.r !== undefined && { term: "Result in R", value: multiple(position.r) },
    position.holdingSeconds !== null && { term: "Held", value: duration(position.holdingSeconds) },
    position.openQuantity > 0 && { term: "Open", value: count(position.openQuantity) },
    position.setup && { term: "Setup", value: position.setup },
    position.psychology && { term: "Psychology", value: position.psychology },
  ].filter((fact) => typeof fact === "object");
  return (
    <div className="text-data text-ink">
      <p className="text-ink-2">
        {`${position.side === "long" ? "Long" : "Short"} ${count(position.quantity)} · ${segment} · ${brokerAccountName(position)} · ${at(position.openedAt)}${until}`}
      </p>
      <p className="mt-3 flex flex-wrap items-baseline gap-x-4">
        <span className="font-heading text-h3">
          {position.closedTrades === 0 ? "No exit yet" : <Result value={position.net} />}
        </span>
        {position.closedTrades > 0 && (
          <span className="figures text-ink-2">{`${inrPaise(position.gross)} gross, ${inrPaise(position.charges)} charges`}</span>
        )}
      </p>
      {position.state === "awaitingSettlement" && (
        <p className="mt-2 text-warn">Expired while open. Enter the settlement price to include it.</p>
      )}
      <dl className="mt-4 grid grid-cols-2 gap-x-6">
        {facts.map(({ term, value }) => (
          <div
            key={term}
            className="flex min-h-8 items-center justify-between gap-3 border-line border-t py-1"
          >
            <dt className="text-ink-2">{term}</dt>
            <dd className="figures text-right">{value}</dd>
          </div>
        ))}
      </dl>
      <StrategyLinks strategies={strategies} />
      <Trades trades={trades} total={totalTrades} />
      {position.closedTrades > 0 && <Charges charges={charges} />}
    </div>
  );
}

/** Links to the strategies that a position is a leg of. A single option is no reason to look at one. */
function StrategyLinks({ strategies }: { strategies: PositionDetail["strategies"] }) {
  const several = strategies.filter(({ legs }) => legs.length > 1);
  if (several.length === 0) return null;
  return (
    <nav aria-label="Strategies with this position" className="mt-4">
      <p className="text-ink-2">
        {several.length === 1 ? "Leg of this strategy:" : "Leg of these strategies:"}
      </p>
      <ul>
        {several.map((strategy) => (
          <li key={strategy.id}>
            <Link to={strategyPath(strategy.id)} className="link inline-flex min-h-11 items-center">
              {strategyName(strategy)}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Names of entries that act like trades. */
const SOURCES = {
  trade: "",
  openingHolding: "Opening holding",
  bonus: "Bonus",
  settlement: "Settlement",
  delivery: "Delivery",
  demerger: "Demerger",
  rights: "Rights issue",
  buyback: "Buyback",
  fractionPayment: "Fraction paid",
} as const;

function Trades({ trades, total }: { trades: PositionDetail["trades"]; total: number }) {
  const { isOwner } = useViewer();
  return (
    <section
      aria-label="Trades and lots"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
      tabIndex={0}
      className="mt-5 overflow-x-auto -outline-offset-2"
    >
      <table className="w-full">
        <thead>
          <tr className="text-floor text-ink-3">
            {["Time", "Trade", "Qty", "Price", "Lot", "Gross"].map((label, column) => (
              <th
                key={label}
                scope="col"
                className={clsx(
                  "h-7 pr-3 font-medium last:pr-0",
                  column > 1 && column !== 4 ? "text-right" : "text-left",
                )}
              >
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {trades.map((trade, index) => {
            const at = `${date(trade.executedAt).replace(/ \d+$/, "")}${trade.timePrecision === "day" ? "" : `, ${time(trade.executedAt)}`}`;
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: some entries have no id, and the list never changes
              <tr key={`${trade.tradeId} ${index}`} className="border-line border-t">
                <td className="h-8 whitespace-nowrap pr-3">
                  {trade.tradeId && isOwner ? (
                    <Link to={`/dashboard?panel=1&trade=${trade.tradeId}`} className="link">
                      {at}
                    </Link>
                  ) : (
                    at
                  )}
                </td>
                <td className="pr-3">
                  <SidePill side={trade.side} />
                  {SOURCES[trade.source] && (
                    <span className="block text-floor text-ink-2">{SOURCES[trade.source]}</span>
                  )}
                </td>
                <td className="figures pr-3 text-right">{count(trade.quantity)}</td>
                <td className="figures pr-3 text-right">{inrPrice(trade.price)}</td>
                <td className="pr-3">{lotText(trade)}</td>
                <td className="whitespace-nowrap text-right">
                  {trade.gross !== undefined && <Result value={trade.gross} />}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {total > trades.length && (
        <p className="mt-2 text-ink-2">{`The first ${count(trades.length)} of ${plural(total, "trade")}.`}</p>
      )}
    </section>
  );
}

/** Returns "Lot 1", "closes 1, 2" or both. */
function lotText({ lot, closedLots }: PositionDetail["trades"][number]): string {
  const closes =
    closedLots.length > 4
      ? `closes ${closedLots[0]} to ${closedLots.at(-1)}`
      : closedLots.length > 0
        ? `closes ${closedLots.join(", ")}`
        : "";
  return [closes, lot !== undefined && `Lot ${lot}`].filter(Boolean).join(", ");
}

function Charges({ charges }: { charges: PositionDetail["charges"] }) {
  return (
    <details className="mt-5 border-line border-t">
      <summary className="flex min-h-11 cursor-pointer items-center justify-between gap-4">
        <span>Charges by rule</span>
        <span className="figures font-semibold">{inrPaise(charges.total)}</span>
      </summary>
      <ul>
        {charges.lines.map((line) => (
          <li key={`${line.component} ${line.rule} ${line.from}`} className="border-line border-t py-1.5">
            <span className="flex justify-between gap-4">
              <span>{CHARGE_NAMES[line.component]}</span>
              <span className="figures">{inrPaise(line.amount)}</span>
            </span>
            <span className="block text-floor text-ink-2">
              {line.from ? `${line.rule}, since ${date(line.from)}` : line.rule}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
