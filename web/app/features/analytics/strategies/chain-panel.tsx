import { Link } from "react-router";
import type { Strategy } from "#features/analytics/analytics-api.ts";
import { signedWhole } from "#features/analytics/analytics-format.ts";
import { Panel } from "#features/analytics/charts/panel.tsx";
import { NetResult } from "#features/analytics/strategies/net-result.tsx";
import { PhoneDetails } from "#features/analytics/strategies/phone-details.tsx";
import {
  capitalize,
  daysText,
  shapeTitle,
  strikesText,
} from "#features/analytics/strategies/strategy-names.ts";
import { type Column, DataTable } from "#features/analytics/tables/data-table.tsx";
import { strategyPath } from "#lib/analytics-paths.ts";
import { plural } from "#lib/format.ts";
import { Result } from "#ui/money.tsx";

/** Strategies that were rolled into each other, with their sum. */
export function ChainPanel({ chain, current }: { chain: readonly Strategy[]; current: string }) {
  // In paise, so that the sum has no rounding errors.
  const net = chain.reduce((sum, strategy) => sum + Math.round(strategy.net * 100), 0) / 100;
  return (
    <Panel
      title={`Rolled ${timesText(chain.length - 1)}, ${signedWhole(net)} as one chain`}
      text={`In the figures, these count as ${plural(chain.length, "strategy", "strategies")}.`}
    >
      <PhoneDetails summary="Strategies of the chain">
        <DataTable
          caption="Chain of rolls"
          columns={columns(current)}
          rows={chain}
          rowKey={({ id }) => id}
          total={["Chain", <Result key="net" value={net} />]}
        />
      </PhoneDetails>
    </Panel>
  );
}

function timesText(times: number): string {
  return times === 1 ? "once" : times === 2 ? "twice" : plural(times, "time");
}

function columns(current: string): readonly Column<Strategy>[] {
  return [
    {
      label: "Strategy",
      cell: (strategy) =>
        strategy.id === current ? (
          <span className="font-semibold">{`${chainName(strategy)} (this one)`}</span>
        ) : (
          <Link to={strategyPath(strategy.id)} className="font-semibold hover:underline">
            {chainName(strategy)}
          </Link>
        ),
    },
    { label: "Net P&L", figures: true, cell: (strategy) => <NetResult {...strategy} /> },
    { label: "Days", cell: daysText },
    { label: "Strikes at the end", cell: strikesText },
  ];
}

/** Returns the name; one after the shape without the underlying, which is the same in the whole chain. */
function chainName(strategy: Strategy): string {
  return strategy.name ?? capitalize(shapeTitle({ ...strategy, underlying: "" }));
}
