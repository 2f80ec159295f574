import { keepPreviousData } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import { FRESH } from "#features/analytics/analytics-api.ts";
import { factor } from "#features/analytics/analytics-format.ts";
import { Panel } from "#features/analytics/charts/panel.tsx";
import { type Filters, figuresQuery } from "#features/analytics/filters/analytics-view.ts";
import { GROUPINGS, type GroupBy, groupingName, groupName } from "#features/analytics/filters/groupings.ts";
import { riskUnit, unitCount, unitPlural } from "#features/analytics/filters/units.ts";
import { type Column, DataTable } from "#features/analytics/tables/data-table.tsx";
import { DrilldownLink } from "#features/analytics/tables/drilldown-link.tsx";
import { useUnit, useViewer } from "#features/analytics/viewer.ts";
import type { Schemas } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { count, inrPaise } from "#lib/format.ts";
import { multiple, percent } from "#lib/ratio-format.ts";
import { LoadFailure } from "#ui/load-failure.tsx";
import { Result } from "#ui/money.tsx";
import { RadioTags } from "#ui/radio-tags.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

type Group = Schemas["AnalyticsGroup"];

const KEY = "groups";

/** Figures grouped by symbol, weekday, setup and so on. */
export function BreakdownPanel({ filters }: { filters: Filters }) {
  const viewer = useViewer();
  const [params, setParams] = useSearchParams();
  const by = GROUPINGS.find(({ value }) => value === params.get(KEY))?.value ?? "symbol";
  const groups = $api.useQuery(
    "get",
    "/analytics/groups",
    { params: { query: { by, ...figuresQuery(filters) } }, ...viewer.requestInit },
    { ...FRESH, placeholderData: keepPreviousData },
  );

  function choose(next: string) {
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
    <Panel
      title="Breakdown"
      text={<RadioTags legend="Group by" name="group-by" value={by} options={GROUPINGS} onChange={choose} />}
    >
      {groups.data ? (
        <GroupTable
          by={by}
          groups={groups.data.groups}
          total={groups.data.total}
          stale={groups.isPlaceholderData}
        />
      ) : (
        <div className="px-4 pb-6 sm:px-6">
          {groups.isError ? (
            <LoadFailure
              error={groups.error}
              busy={groups.isFetching}
              onRetry={() => void groups.refetch()}
            />
          ) : (
            <TableSkeleton label="Loading groups" />
          )}
        </div>
      )}
    </Panel>
  );
}

/** Groupings by the time of the opening, which the server applies to intraday and F&O trades only. */
const OF_OPENING: ReadonlySet<GroupBy> = new Set(["weekday", "hour", "weekdayHour"]);

type GroupTableProps = { by: GroupBy; groups: readonly Group[]; total: number; stale: boolean };

function GroupTable({ by, groups, total, stale }: GroupTableProps) {
  const unit = useUnit();
  if (groups.length === 0) {
    return (
      <p className="px-4 pb-6 text-ink-2 text-ui sm:px-6">
        {by === "setup"
          ? "No setups yet. Add a #tag to the notes of a trade to group by it."
          : OF_OPENING.has(by)
            ? "There are no intraday or F&O trades with a known entry time."
            : `The ${groupingName(by).toLowerCase()} of these ${unitPlural(unit)} is not known.`}
      </p>
    );
  }
  const most = Math.max(...groups.map(({ figures }) => Math.abs(figures.net))) || 1;
  return (
    <div aria-busy={stale} className={stale ? "opacity-60 transition-opacity delay-200 duration-120" : ""}>
      <DataTable
        caption={`Figures by ${groupingName(by).toLowerCase()}`}
        columns={columns(
          by,
          most,
          groups.some(({ figures }) => figures.risk),
        )}
        rows={groups}
        rowKey={({ key }) => key}
      />
      {OF_OPENING.has(by) && (
        <p className="border-line border-t px-4 py-3 text-floor text-ink-2 sm:px-6">
          By entry time, for intraday and F&amp;O trades. Delivery trades are not counted.
        </p>
      )}
      {total > groups.length && (
        <p className="border-line border-t px-4 py-3 text-floor text-ink-2 sm:px-6">
          {`Only the first ${count(groups.length)} of ${count(total)} are shown.`}
        </p>
      )}
    </div>
  );
}

/** Returns the columns; the average R only if a group has results with a known risk. */
function columns(by: GroupBy, most: number, withRisk: boolean): Column<Group>[] {
  const risk: Column<Group> = {
    label: "Average R",
    figures: true,
    cell: ({ figures }) => <Risk {...figures} />,
  };
  return [
    {
      label: groupingName(by),
      cell: ({ key }) => (
        <DrilldownLink drilldown={{ kind: "group", by, key }} className="font-semibold hover:underline">
          {groupName(by, key)}
        </DrilldownLink>
      ),
    },
    // These two come first, because a phone shows no more without scrolling.
    { label: "Net", figures: true, cell: ({ figures }) => <Result value={figures.net} /> },
    { label: "Size", cell: ({ figures }) => <Bar net={figures.net} most={most} /> },
    { label: "Count", figures: true, cell: ({ figures }) => <UnitCount {...figures} /> },
    { label: "Win rate", figures: true, cell: ({ figures }) => <WinRate {...figures} /> },
    {
      label: "Profit factor",
      figures: true,
      cell: ({ figures }) => (figures.profitFactor === null ? "–" : factor(figures.profitFactor)),
    },
    ...(withRisk ? [risk] : []),
    { label: "Gross", figures: true, cell: ({ figures }) => inrPaise(figures.gross) },
    { label: "Charges", figures: true, cell: ({ figures }) => inrPaise(0 - figures.charges) },
  ];
}

/** Number of units, with those that an open data issue may change. */
function UnitCount({ closedTrades, doubtfulClosedTrades }: Group["figures"]) {
  return (
    <>
      {count(closedTrades)}
      {doubtfulClosedTrades > 0 && (
        <span className="block text-floor text-warn">{`${count(doubtfulClosedTrades)} open issue`}</span>
      )}
    </>
  );
}

function WinRate({ winRate, sampleTooSmall }: Group["figures"]) {
  if (!winRate || sampleTooSmall) return <span className="text-ink-2">too few trades</span>;
  return (
    <span title={`${percent(winRate.low)} to ${percent(winRate.high)}, 95% confidence interval`}>
      {percent(winRate.rate)}
    </span>
  );
}

function Risk({ risk }: Group["figures"]) {
  const unit = useUnit();
  if (!risk) return "–";
  if (risk.sampleTooSmall) return <span className="text-ink-2">too few trades</span>;
  return <span title={`in ${unitCount(risk.closedTrades, riskUnit(unit))}`}>{multiple(risk.average)}</span>;
}

/** Bar from the middle: losses to the left, profits to the right. The amount is in the column beside it. */
function Bar({ net, most }: { net: number; most: number }) {
  const width = (Math.abs(net) / most) * 50;
  return (
    <span aria-hidden="true" className="relative block h-3.5 w-24 min-[72rem]:w-28">
      <span className="absolute inset-y-[-6px] left-1/2 border-line-strong border-l" />
      <span
        className={`absolute inset-y-0 min-w-px ${net < 0 ? "bg-loss" : "bg-gain"}`}
        style={{ left: `${net < 0 ? 50 - width : 50}%`, width: `${width}%` }}
      />
    </span>
  );
}
