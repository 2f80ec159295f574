import { keepPreviousData } from "@tanstack/react-query";
import clsx from "clsx";
import { lazy, type ReactNode, Suspense } from "react";
import { AccessExpired } from "#features/analytics/access-expired.tsx";
import { FRESH, type Overview } from "#features/analytics/analytics-api.ts";
import { chargesHeadline, chargesText, netHeadline } from "#features/analytics/figures/headlines.ts";
import {
  type Filters,
  figuresQuery,
  filterText,
  NO_FILTERS,
  unitName,
} from "#features/analytics/filters/analytics-view.ts";
import { FilterBar, useFilters } from "#features/analytics/filters/filter-bar.tsx";
import { countedUnits, type UnitName, unitPlural } from "#features/analytics/filters/units.ts";
import { PageLinks } from "#features/analytics/page-links.tsx";
import { TradesTabs } from "#features/analytics/trades-tabs.tsx";
import { UnitContext, type Viewer, ViewerContext } from "#features/analytics/viewer.ts";
import {
  ANALYTICS_PAGES,
  type AnalyticsPage,
  FIX_PATH,
  RECONCILE_PATH,
  TRADES_PATH,
} from "#lib/analytics-paths.ts";
import { isProblem } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { plural } from "#lib/format.ts";
import { period } from "#lib/period.ts";
import { useMedia } from "#lib/use-media.ts";
import { ButtonLink } from "#ui/button.tsx";
import { LoadFailure } from "#ui/load-failure.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

const OverviewSections = lazy(async () => ({
  default: (await import("#features/analytics/analytics-sections.tsx")).AnalyticsSections,
}));
const TradesPage = lazy(async () => ({
  default: (await import("#features/analytics/pages/trades-page.tsx")).TradesPage,
}));
const BreakdownPage = lazy(async () => ({
  default: (await import("#features/analytics/pages/breakdown-page.tsx")).BreakdownPage,
}));
const ChargesPage = lazy(async () => ({
  default: (await import("#features/analytics/pages/charges-page.tsx")).ChargesPage,
}));
const LedgerPanels = lazy(async () => ({
  default: (await import("#features/analytics/charges/ledger-panels.tsx")).LedgerPanels,
}));
const TaxPanel = lazy(async () => ({
  default: (await import("#features/analytics/tax/tax-panel.tsx")).TaxPanel,
}));
const ShareMenu = lazy(async () => ({
  default: (await import("#features/analytics/share/share-menu.tsx")).ShareMenu,
}));
const NoClosedTrades = lazy(async () => ({
  default: (await import("#features/analytics/pages/no-closed-trades.tsx")).NoClosedTrades,
}));
const NoTrades = lazy(async () => ({
  default: (await import("#features/analytics/pages/no-trades.tsx")).NoTrades,
}));

/** Pages with the filters. */
export type FilteredPage = Exclude<AnalyticsPage, "fix" | "position" | "strategies">;

export type AnalyticsPagesProps = { viewer: Viewer; page: FilteredPage };

/** A page of the analytics: title, filters and the content of the page. All pages share the request of the overview. */
export function AnalyticsPages({ viewer, page }: AnalyticsPagesProps) {
  const [filters, setFilters] = useFilters();
  const wide = useMedia("(width >= 40rem)");
  const query = $api.useQuery(
    "get",
    "/analytics/overview",
    { params: { query: figuresQuery(filters) }, ...viewer.requestInit },
    { ...FRESH, placeholderData: keepPreviousData },
  );
  // While the overview of new filters loads, `data` is the previous overview, shown dimmed.
  const { data: overview, error } = query;

  if (error && !viewer.isOwner && isProblem(error) && error.status === 401) return <AccessExpired />;
  if (overview?.scope.trades === 0)
    return (
      <Suspense>
        <NoTrades isOwner={viewer.isOwner} />
        {/* A ledger may be imported before any trade. */}
        {page === "charges" && (
          <ViewerContext value={viewer}>
            <LedgerPanels filters={NO_FILTERS} />
          </ViewerContext>
        )}
      </Suspense>
    );
  return (
    <ViewerContext value={viewer}>
      <div className="mx-auto max-w-[1160px]">
        <PageLinks page={page} />
        <Head page={page} overview={overview} filters={filters}>
          {overview && page === "overview" && (
            <ButtonLink variant="secondary" size="sm" to={FIX_PATH}>
              {overview.dataIssues.open > 0 ? plural(overview.dataIssues.open, "data issue") : "Data issues"}
            </ButtonLink>
          )}
          {overview && overview.figures.closedTrades > 0 && page === "overview" && (
            <Suspense fallback={<div className="h-10 w-24" />}>
              <ShareMenu overview={overview} unit={unitName(filters)} filterText={filterText(filters)} />
            </Suspense>
          )}
          {page === "charges" && (
            <ButtonLink variant="secondary" size="sm" to={RECONCILE_PATH}>
              Reconcile
            </ButtonLink>
          )}
        </Head>
        {page === "trades" && <TradesTabs current={TRADES_PATH} />}
        {page !== "tax" && (
          <FilterBar filters={filters} scope={overview?.scope} wide={wide} onChange={setFilters} />
        )}
        {!overview && !error && <AnalyticsSkeleton />}
        {!overview && error && (
          <LoadFailure error={error} busy={query.isFetching} onRetry={() => void query.refetch()} />
        )}
        {overview && (
          <div
            aria-busy={query.isPlaceholderData}
            className={query.isPlaceholderData ? "opacity-60 transition-opacity delay-200 duration-120" : ""}
          >
            <UnitContext value={unitName(filters)}>
              <Suspense fallback={<TableSkeleton label="Loading the page" />}>
                <Content
                  {...{ page, overview, filters, wide }}
                  onClear={() => setFilters({ ...NO_FILTERS, unit: filters.unit })}
                />
              </Suspense>
            </UnitContext>
          </div>
        )}
      </div>
    </ViewerContext>
  );
}

type ContentProps = {
  page: FilteredPage;
  overview: Overview;
  filters: Filters;
  wide: boolean;
  onClear: () => void;
};

function Content({ page, overview, filters, wide, onClear }: ContentProps) {
  const years = overview.scope.financialYears;
  if (page === "trades") return <TradesPage filters={filters} />;
  if (page === "tax" && years.length > 0)
    return (
      <div className="pt-5">
        <TaxPanel years={years} />
      </div>
    );
  if (overview.figures.closedTrades === 0 && overview.days.length === 0)
    return (
      <>
        <NoClosedTrades overview={overview} onClear={onClear} />
        {page === "charges" && (
          <div className="pt-5">
            <LedgerPanels filters={filters} />
          </div>
        )}
      </>
    );
  if (page === "breakdown") return <BreakdownPage overview={overview} filters={filters} wide={wide} />;
  if (page === "charges") return <ChargesPage overview={overview} filters={filters} />;
  return <OverviewSections overview={overview} filters={filters} wide={wide} />;
}

type HeadProps = {
  page: FilteredPage;
  overview: Overview | undefined;
  filters: Filters;
  children: ReactNode;
};

function Head({ page, overview, filters, children }: HeadProps) {
  const days = overview?.days;
  const span = days && period(days[0]?.date ?? null, days.at(-1)?.date ?? null);
  const text = filterText(filters);
  const counted = overview && countedUnits(overview.figures.closedTrades, unitName(filters));
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3 pb-4">
      <div className="min-w-0 flex-1 basis-72">
        <h1 tabIndex={-1} className={clsx("pt-1 text-[2rem]", page === "tax" && "print:hidden")}>
          {pageTitle(page, overview, unitName(filters))}
        </h1>
        {page !== "tax" && (
          <p role="status" className="mt-2 min-h-[1.45em] text-data text-ink-2">
            {overview &&
              `${text && `${text}. `}${counted}${span ? `, ${span}` : ""}. ${chargesText(overview.figures)}`}
          </p>
        )}
      </div>
      <div data-print="no" className="flex flex-wrap gap-2.5">
        {children}
      </div>
    </div>
  );
}

function pageTitle(page: FilteredPage, overview: Overview | undefined, unit: UnitName): string {
  const label = ANALYTICS_PAGES.find((other) => other.page === page)?.label ?? "";
  if (!overview || (page !== "overview" && page !== "charges"))
    return page === "overview" ? "Analytics" : label;
  if (overview.days.length === 0)
    return page === "charges" ? label : `No closed ${unitPlural(unit).replace("closed ", "")}`;
  return page === "charges" ? chargesHeadline(overview.figures) : netHeadline(overview.figures);
}

/** Placeholder in the shape of the page. Appears after 200 ms, so that a fast response causes no flicker. */
function AnalyticsSkeleton() {
  return (
    <div className="animate-late pt-5">
      <p role="status" className="sr-only">
        Loading your analytics
      </p>
      <div aria-hidden="true" className="space-y-5">
        <div className="grid h-36 grid-cols-2 rounded-panel border border-line bg-surface md:grid-cols-6">
          {["a", "b", "c", "d", "e", "f"].map((key) => (
            <div key={key} className="border-line border-r px-5 py-5 last:border-r-0 max-md:nth-[n+3]:hidden">
              <div className="h-2.5 w-20 max-w-full rounded-tag bg-line" />
              <div className="mt-4 h-5 w-24 max-w-full rounded-tag bg-line" />
            </div>
          ))}
        </div>
        <div className="h-120 rounded-panel border border-line bg-surface p-6">
          <div className="h-4 w-64 max-w-full rounded-tag bg-line" />
          <div className="mt-3 h-2.5 w-80 max-w-full rounded-tag bg-line" />
        </div>
      </div>
    </div>
  );
}
