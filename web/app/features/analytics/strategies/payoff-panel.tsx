import { useMemo } from "react";
import type { StrategyDetail, StrategyPayoff } from "#features/analytics/analytics-api.ts";
import { ChartPanel, Panel } from "#features/analytics/charts/panel.tsx";
import { PayoffChart } from "#features/analytics/strategies/payoff-chart.tsx";
import { type PayoffInput, profitAt } from "#features/analytics/strategies/payoff-shape.ts";
import { payoffHeadline } from "#features/analytics/strategies/payoff-text.ts";
import { lastLegs } from "#features/analytics/strategies/strategy-names.ts";
import { type Column, DataTable } from "#features/analytics/tables/data-table.tsx";
import { count } from "#lib/format.ts";
import { Result } from "#ui/money.tsx";

/** Payoff at expiry as a chart; a sentence if it depends on several prices. */
export function PayoffPanel({ detail: { strategy, payoff, firstPayoff } }: { detail: StrategyDetail }) {
  if (!payoff)
    return (
      <Panel
        title="No payoff chart"
        text={
          strategy.shape === "pair"
            ? "A pair has two underlyings, so its payoff depends on two prices."
            : "The contracts expire on several days, so the payoff depends on prices that no trade states."
        }
      >
        {null}
      </Panel>
    );
  return <Payoff strategy={strategy} payoff={payoff} firstPayoff={firstPayoff} />;
}

type PayoffProps = Pick<StrategyDetail, "strategy" | "firstPayoff"> & { payoff: StrategyPayoff };

function Payoff({ strategy, payoff, firstPayoff }: PayoffProps) {
  const result = strategy.state === "closed" ? strategy.net : undefined;
  const input = useMemo<PayoffInput>(
    () => ({
      points: payoff.points,
      breakEvens: payoff.breakEvens,
      firstPoints: firstPayoff?.points ?? [],
      result,
    }),
    [payoff, firstPayoff, result],
  );
  const strikes = lastLegs(strategy.legs).flatMap(({ contract }) => contract?.strike ?? []);
  return (
    <ChartPanel
      title={payoffHeadline(strategy, payoff)}
      text={[
        "Result at expiry after charges, including those of an exercise or delivery.",
        payoff.brokerageMissing && "The broker's price for these is not known and not included.",
        firstPayoff && "Dashed: as first opened.",
        "No price feed is used.",
      ]
        .filter(Boolean)
        .join(" ")}
      chart={
        <PayoffChart
          underlying={strategy.underlying}
          input={input}
          strikes={[...new Set(strikes)].sort((a, b) => a - b)}
        />
      }
      table={() => <PayoffTable underlying={strategy.underlying} input={input} />}
    />
  );
}

type Row = { price: number; profit: number; first: number };

/** Corners and break-evens of the payoff. */
function PayoffTable({ underlying, input }: { underlying: string; input: PayoffInput }) {
  const { points, breakEvens, firstPoints } = input;
  const prices = [...points, ...firstPoints].map(({ price }) => price);
  const rows = [...new Set([...prices, ...breakEvens])]
    .sort((a, b) => a - b)
    .map(
      (price): Row => ({
        price,
        profit: breakEvens.includes(price) ? 0 : profitAt(points, price),
        first: profitAt(firstPoints, price),
      }),
    );
  const columns: Column<Row>[] = [
    { label: `${underlying} at expiry`, cell: ({ price }) => count(price) },
    { label: "Net P&L", figures: true, cell: ({ profit }) => <Result value={profit} /> },
    ...(firstPoints.length > 0
      ? [{ label: "As first opened", figures: true, cell: ({ first }: Row) => <Result value={first} /> }]
      : []),
  ];
  return (
    <DataTable caption="Payoff at expiry" columns={columns} rows={rows} rowKey={({ price }) => `${price}`} />
  );
}
