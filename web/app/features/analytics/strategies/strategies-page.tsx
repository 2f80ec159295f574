import { keepPreviousData } from "@tanstack/react-query";
import { X } from "lucide-react";
import { lazy, type ReactNode, Suspense, useMemo, useState } from "react";
import { useSearchParams } from "react-router";
import { AccessExpired } from "#features/analytics/access-expired.tsx";
import { FRESH } from "#features/analytics/analytics-api.ts";
import { PeriodMenu } from "#features/analytics/filters/period-menu.tsx";
import { periods } from "#features/analytics/filters/periods.ts";
import { PageLinks } from "#features/analytics/page-links.tsx";
import { StatisticsPanel } from "#features/analytics/strategies/statistics-panel.tsx";
import { StrategiesPanel } from "#features/analytics/strategies/strategies-panel.tsx";
import {
  NO_STRATEGY_FILTERS,
  parseStrategyFilters,
  REVIEW,
  type StrategyFilters,
  strategyQuery,
  writeStrategyFilters,
} from "#features/analytics/strategies/strategies-view.ts";
import { SHAPES, STATES } from "#features/analytics/strategies/strategy-names.ts";
import { TradesTabs } from "#features/analytics/trades-tabs.tsx";
import { useViewer, type Viewer, ViewerContext } from "#features/analytics/viewer.ts";
import { STRATEGIES_PATH } from "#lib/analytics-paths.ts";
import { isProblem } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { useBrokerOptions } from "#lib/broker-accounts.ts";
import { istDate, plural } from "#lib/format.ts";
import { useHeadingFocus } from "#lib/heading-focus.ts";
import { pageSize } from "#lib/page-size.ts";
import { useMedia } from "#lib/use-media.ts";
import { Button, ButtonLink } from "#ui/button.tsx";
import { ChoiceFilter } from "#ui/choice-filter.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

const GroupingReview = lazy(async () => ({
  default: (await import("#features/analytics/strategy-decisions/grouping-review.tsx")).GroupingReview,
}));

type StrategiesPageProps = {
  viewer: Viewer;
  /** Shown beside the title of the list; absent for a guest. */
  actions?: ReactNode;
};

/** List of the strategies with the figures of the closed ones. */
export function StrategiesPage({ viewer, actions }: StrategiesPageProps) {
  return (
    <ViewerContext value={viewer}>
      <div className="mx-auto max-w-[1160px]">
        <PageLinks page="trades" />
        <Strategies actions={actions} />
      </div>
    </ViewerContext>
  );
}

/** The list, or the review of ambiguous strategies with an address parameter of its own. */
function Strategies({ actions }: { actions: ReactNode }) {
  const { isOwner } = useViewer();
  const [params] = useSearchParams();
  const isReview = isOwner && params.get(REVIEW.key) === REVIEW.value;
  useHeadingFocus(`${isReview}`);
  if (!isReview) return <StrategyLists actions={actions} />;
  return (
    <>
      <h1 tabIndex={-1} className="pt-1 text-[2rem]">
        Check groupings
      </h1>
      <Suspense fallback={<TableSkeleton label="Loading strategies" columns={3} />}>
        <GroupingReview />
      </Suspense>
    </>
  );
}

function StrategyLists({ actions }: { actions: ReactNode }) {
  const { isOwner } = useViewer();
  const [params, setParams] = useSearchParams();
  const filters = parseStrategyFilters(params);
  const query = useStrategies(filters);
  const page = query.data?.pages[0];
  const isFiltered = Object.values(filters).some(Boolean);
  const isWide = useMedia("(width >= 40rem)");
  const change = (changes: Partial<StrategyFilters>) =>
    setParams((now) => writeStrategyFilters(now, changes), { replace: true, preventScrollReset: true });

  if (!isOwner && isProblem(query.error) && query.error.status === 401) return <AccessExpired />;
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <h1 tabIndex={-1} className="pt-1 text-[2rem]">
          Strategies
        </h1>
        {actions && <div data-print="no">{actions}</div>}
      </div>
      <p role="status" className="mt-2 min-h-[1.45em] pb-3 text-data text-ink-2">
        {page && plural(page.total, "strategy", "strategies")}
        {page && page.ambiguous > 0 && `, ${page.ambiguous} with a grouping to check`}
      </p>
      <TradesTabs current={STRATEGIES_PATH} />
      {page?.total === 0 && !isFiltered ? (
        <NoStrategies />
      ) : (
        <>
          <Filters filters={filters} isFiltered={isFiltered} onChange={change} />
          {isOwner && page && page.ambiguous > 0 && <ReviewNotice ambiguous={page.ambiguous} />}
          <div className="space-y-5">
            {/* On phones the list is more useful than the wide table of figures. */}
            {isWide && <StatisticsPanel filters={filters} />}
            <StrategiesPanel filters={filters} query={query} onClear={() => change(NO_STRATEGY_FILTERS)} />
            {!isWide && <StatisticsPanel filters={filters} />}
          </div>
        </>
      )}
    </>
  );
}

/** Loads the strategies that match, page by page. */
function useStrategies(filters: StrategyFilters) {
  const viewer = useViewer();
  const [limit] = useState(() => pageSize(25, 12));
  return $api.useInfiniteQuery(
    "get",
    "/analytics/strategies",
    { params: { query: { limit, ...strategyQuery(filters) } }, ...viewer.requestInit },
    {
      ...FRESH,
      pageParamName: "cursor",
      initialPageParam: undefined,
      getNextPageParam: (page) => page.nextCursor,
      placeholderData: keepPreviousData,
    },
  );
}

export type StrategiesQuery = ReturnType<typeof useStrategies>;

/** Link to the review of the ambiguous strategies that match the filters. */
function ReviewNotice({ ambiguous }: { ambiguous: number }) {
  const [params] = useSearchParams();
  const next = new URLSearchParams(params);
  next.set(REVIEW.key, REVIEW.value);
  return (
    <section
      aria-label="Groupings to check"
      data-print="no"
      className="mb-5 flex flex-wrap items-center justify-between gap-x-6 gap-y-3 rounded-panel bg-brand-soft px-5 py-3 text-ui"
    >
      <p className="min-w-0 flex-1 basis-64">
        {`The legs of ${plural(ambiguous, "strategy", "strategies")} can be grouped in several ways. Choose the grouping that you meant.`}
      </p>
      <ButtonLink variant="secondary" to={{ search: next.toString() }} className="max-sm:w-full">
        {`Check ${plural(ambiguous, "grouping")}`}
      </ButtonLink>
    </section>
  );
}

type FiltersProps = {
  filters: StrategyFilters;
  isFiltered: boolean;
  onChange: (changes: Partial<StrategyFilters>) => void;
};

function Filters({ filters, isFiltered, onChange }: FiltersProps) {
  const brokers = useBrokerOptions(useViewer().requestInit);
  const options = useMemo(() => periods(istDate(new Date().toISOString()), undefined), []);
  return (
    <search aria-label="Filter the strategies" data-print="no" className="flex flex-wrap gap-2.5 py-4">
      <div className="flex max-sm:w-full">
        <PeriodMenu value={filters} options={options} onChange={({ from, to }) => onChange({ from, to })} />
      </div>
      <ChoiceFilter
        label="Shape"
        value={filters.shape}
        options={SHAPES}
        onChange={(shape) => onChange({ shape })}
      />
      <ChoiceFilter
        label="State"
        value={filters.state}
        options={STATES}
        onChange={(state) => onChange({ state })}
      />
      <ChoiceFilter
        label="Broker"
        value={filters.broker}
        options={brokers}
        onChange={(broker) => onChange({ broker })}
      />
      <UnderlyingFilter symbol={filters.symbol} onChange={(symbol) => onChange({ symbol })} />
      {isFiltered && (
        <Button
          variant="quiet"
          size="sm"
          icon={<X size={15} aria-hidden />}
          onClick={() => onChange(NO_STRATEGY_FILTERS)}
          className="px-2.5! text-data!"
        >
          Clear filters
        </Button>
      )}
    </search>
  );
}

/** Filter with the underlyings of the closed strategies and the one in the address. */
function UnderlyingFilter({ symbol, onChange }: { symbol: string; onChange: (symbol: string) => void }) {
  const viewer = useViewer();
  const { data } = $api.useQuery("get", "/analytics/strategy-statistics", {
    params: { query: { groupBy: "underlying" } },
    ...viewer.requestInit,
  });
  const names = new Set([...(symbol ? [symbol] : []), ...(data?.groups.map(({ key }) => key) ?? [])]);
  return (
    <ChoiceFilter
      label="Underlying"
      value={symbol}
      options={[...names].map((name) => ({ value: name, label: name }))}
      onChange={onChange}
    />
  );
}

function NoStrategies() {
  const { isOwner } = useViewer();
  return (
    <div className="py-10">
      <h2 className="text-h3">No strategies yet</h2>
      <p className="mt-2 max-w-prose text-ink-2">
        A strategy is a group of option positions that you took as one decision, such as a straddle, a spread
        or an iron condor.
      </p>
      {isOwner && (
        <>
          <p className="mt-2 max-w-prose text-ink-2">
            We find them in the trades that you import. You can also type one with Add a strategy.
          </p>
          <ButtonLink variant="secondary" to="/dashboard?panel=0" className="mt-5">
            Add Trades
          </ButtonLink>
        </>
      )}
    </div>
  );
}
