import { keepPreviousData } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link, useSearchParams } from "react-router";
import { FRESH, type StrategyFigures } from "#features/analytics/analytics-api.ts";
import { factor, inrWhole } from "#features/analytics/analytics-format.ts";
import { Panel } from "#features/analytics/charts/panel.tsx";
import { PhoneDetails } from "#features/analytics/strategies/phone-details.tsx";
import {
  STRATEGY_GROUPINGS,
  type StrategyFilters,
  type StrategyGrouping,
  strategyGroupName,
  strategyQuery,
  writeStrategyFilters,
} from "#features/analytics/strategies/strategies-view.ts";
import { isShape, shapeName, shapePlural } from "#features/analytics/strategies/strategy-names.ts";
import { type Column, DataTable } from "#features/analytics/tables/data-table.tsx";
import { useViewer } from "#features/analytics/viewer.ts";
import { $api } from "#lib/api-query.ts";
import { count, plural } from "#lib/format.ts";
import { percent } from "#lib/ratio-format.ts";
import { LoadFailure } from "#ui/load-failure.tsx";
import { Result } from "#ui/money.tsx";
import { RadioTags } from "#ui/radio-tags.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

const KEY = "groups";

/** Below this number of strategies a rate is mostly chance. */
const MIN_SAMPLE = 20;

/** Figures of the closed strategies, grouped by a property. */
export function StatisticsPanel({ filters }: { filters: StrategyFilters }) {
  const viewer = useViewer();
  const [params, setParams] = useSearchParams();
  const by = STRATEGY_GROUPINGS.find(({ value }) => value === params.get(KEY))?.value ?? "shape";
  const query = $api.useQuery(
    "get",
    "/analytics/strategy-statistics",
    { params: { query: { groupBy: by, ...strategyQuery(filters) } }, ...viewer.requestInit },
    { ...FRESH, placeholderData: keepPreviousData },
  );

  function choose(next: StrategyGrouping) {
    setParams(
      (now) => {
        const params = new URLSearchParams(now);
        params.set(KEY, next);
        return params;
      },
      { replace: true, preventScrollReset: true },
    );
  }

  return (
    <Panel title={query.data ? headline(query.data.total, filters) : "Statistics"}>
      {query.data ? (
        <PhoneDetails summary={`Figures by ${groupingLabel(by).toLowerCase()}`}>
          <div className="px-4 pb-4 sm:-mt-4 sm:px-6">
            <RadioTags
              legend="Group by"
              name="group-strategies-by"
              value={by}
              options={STRATEGY_GROUPINGS}
              onChange={choose}
            />
          </div>
          <FiguresTable by={by} {...query.data} />
        </PhoneDetails>
      ) : (
        <div className="px-4 pb-6 sm:px-6">
          {query.isError ? (
            <LoadFailure error={query.error} busy={query.isFetching} onRetry={() => void query.refetch()} />
          ) : (
            <TableSkeleton label="Loading the statistics" />
          )}
        </div>
      )}
    </Panel>
  );
}

function headline({ strategies, net }: StrategyFigures, { shape }: StrategyFilters): string {
  const [one, many] = shape ? [shapeName(shape), shapePlural(shape)] : ["strategy", "strategies"];
  if (strategies === 0) return `No closed ${many}`;
  const result = net < 0 ? `lost ${inrWhole(-net)}` : `made ${inrWhole(net)}`;
  return `${plural(strategies, `closed ${one}`, `closed ${many}`)} ${result} after charges`;
}

function groupingLabel(by: StrategyGrouping): string {
  return STRATEGY_GROUPINGS.find(({ value }) => value === by)?.label ?? by;
}

type Group = { key: string; figures: StrategyFigures };
type FiguresTableProps = { by: StrategyGrouping; total: StrategyFigures; groups: readonly Group[] };

function FiguresTable({ by, total, groups }: FiguresTableProps) {
  if (groups.length === 0)
    return (
      <p className="px-4 pb-6 text-ink-2 text-ui sm:px-6">
        {total.strategies === 0
          ? "Figures appear after the first strategy is closed."
          : "No closed strategy has a value for this grouping."}
      </p>
    );
  const label = groupingLabel(by);
  return (
    <>
      <DataTable
        caption={`Figures by ${label.toLowerCase()}`}
        columns={[{ label, cell: ({ key }) => <GroupName by={by} name={key} /> }, ...COLUMNS]}
        rows={groups}
        rowKey={({ key }) => key}
        total={["All", ...COLUMNS.map(({ cell }) => cell({ key: "", figures: total }))]}
        className="max-h-160"
      />
      <p className="border-line border-t px-4 py-3 text-floor text-ink-2 sm:px-6">
        Win rate with 95% confidence interval. Worst loss also as a multiple of the average credit.
      </p>
    </>
  );
}

/** Name of a group; that of a shape is a link that shows only its strategies. */
function GroupName({ by, name: key }: { by: StrategyGrouping; name: string }) {
  const [params] = useSearchParams();
  const name = strategyGroupName(by, key);
  if (by !== "shape" || !isShape(key)) return <span className="font-semibold">{name}</span>;
  return (
    <Link
      to={{ search: writeStrategyFilters(params, { shape: key }).toString() }}
      preventScrollReset
      className="font-semibold hover:underline"
    >
      {name}
    </Link>
  );
}

const COLUMNS: readonly Column<Group>[] = [
  { label: "Net P&L", figures: true, cell: ({ figures }) => <Result value={figures.net} /> },
  { label: "Closed", figures: true, cell: ({ figures }) => count(figures.strategies) },
  { label: "Win rate", figures: true, cell: ({ figures }) => <WinRate {...figures} /> },
  { label: "Expectancy", figures: true, cell: ({ figures }) => <Optional value={figures.expectancy} /> },
  { label: "Worst loss", figures: true, cell: ({ figures }) => <WorstLoss {...figures} /> },
  {
    label: "Average credit",
    figures: true,
    cell: ({ figures }) => (figures.averageCredit === null ? "–" : inrWhole(figures.averageCredit)),
  },
  {
    label: "Credit kept",
    figures: true,
    cell: ({ figures }) => (figures.creditKept === null ? "–" : percent(figures.creditKept)),
  },
  { label: "Charges", figures: true, cell: ({ figures }) => inrWhole(figures.charges) },
];

function Optional({ value }: { value: number | null }): ReactNode {
  return value === null ? "–" : <Result value={value} />;
}

/** Win rate and its confidence interval; of few strategies the wins and the interval only. */
function WinRate({ strategies, wins, winRate }: StrategyFigures) {
  if (!winRate) return "–";
  return (
    <>
      {strategies < MIN_SAMPLE ? `${count(wins)} of ${count(strategies)}` : percent(winRate.rate)}
      <span className="block text-floor text-ink-2">
        {`${Math.round(winRate.low * 100)} to ${Math.round(winRate.high * 100)}%`}
      </span>
    </>
  );
}

function WorstLoss({ worstLoss, worstLossToCredit }: StrategyFigures) {
  return (
    <>
      <Optional value={worstLoss} />
      {worstLossToCredit !== null && worstLossToCredit > 0 && (
        <span className="block text-floor text-ink-2">{`${factor(worstLossToCredit)} × credit`}</span>
      )}
    </>
  );
}
