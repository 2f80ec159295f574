import { keepPreviousData } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense } from "react";
import { AccessExpired } from "#features/analytics/access-expired.tsx";
import { FRESH, type Overview } from "#features/analytics/analytics-api.ts";
import { FIX_PATH, RECONCILE_PATH } from "#features/analytics/analytics-paths.ts";
import { AnalyticsSections, MissingDataBanner } from "#features/analytics/analytics-sections.tsx";
import { netHeadline } from "#features/analytics/figures/headlines.ts";
import { filterQuery, filterText, NO_FILTERS } from "#features/analytics/filters/analytics-view.ts";
import { FilterBar, useFilters } from "#features/analytics/filters/filter-bar.tsx";
import { ShareMenu } from "#features/analytics/share/share-menu.tsx";
import { type Viewer, ViewerContext } from "#features/analytics/viewer.ts";
import { isProblem } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { plural } from "#lib/format.ts";
import { period } from "#lib/period.ts";
import { useMedia } from "#lib/use-media.ts";
import { Button, ButtonLink } from "#ui/button.tsx";
import { FirstLine } from "#ui/drawings.tsx";
import { LoadFailure } from "#ui/load-failure.tsx";

const OpenPositionsPanel = lazy(async () => ({
  default: (await import("#features/analytics/positions/open-positions-panel.tsx")).OpenPositionsPanel,
}));

/** Analytics page. One request loads the key figures and charts; the lists and the tax pack load after it. */
export function AnalyticsPages({ viewer }: { viewer: Viewer }) {
  const [filters, setFilters] = useFilters();
  const wide = useMedia("(width >= 40rem)");
  const query = $api.useQuery(
    "get",
    "/analytics/overview",
    { params: { query: filterQuery(filters) }, ...viewer.requestInit },
    { ...FRESH, placeholderData: keepPreviousData },
  );
  // While the overview of new filters loads, `data` is the previous overview, shown dimmed.
  const { data: overview, error } = query;

  if (error && !viewer.isOwner && isProblem(error) && error.status === 401) return <AccessExpired />;
  if (overview?.scope.trades === 0) return <NoTrades isOwner={viewer.isOwner} />;
  return (
    <ViewerContext value={viewer}>
      <div className="mx-auto max-w-[1160px]">
        <Head overview={overview} filterText={filterText(filters)}>
          {overview && (
            <div data-print="no" className="flex flex-wrap gap-2.5">
              <ButtonLink variant="secondary" size="sm" to={FIX_PATH}>
                {overview.dataIssues.open > 0
                  ? plural(overview.dataIssues.open, "data issue")
                  : "Data issues"}
              </ButtonLink>
              <ButtonLink variant="secondary" size="sm" to={RECONCILE_PATH}>
                Reconcile
              </ButtonLink>
              {overview.figures.closedTrades > 0 && (
                <ShareMenu overview={overview} filterText={filterText(filters)} />
              )}
            </div>
          )}
        </Head>
        <FilterBar filters={filters} scope={overview?.scope} wide={wide} onChange={setFilters} />
        {!overview && !error && <AnalyticsSkeleton />}
        {!overview && error && (
          <LoadFailure error={error} busy={query.isFetching} onRetry={() => void query.refetch()} />
        )}
        {overview && (
          <div
            aria-busy={query.isPlaceholderData}
            className={query.isPlaceholderData ? "opacity-60 transition-opacity delay-200 duration-120" : ""}
          >
            {overview.figures.closedTrades > 0 ? (
              <AnalyticsSections overview={overview} filters={filters} />
            ) : (
              <NoClosedTrades overview={overview} onClear={() => setFilters(NO_FILTERS)} />
            )}
          </div>
        )}
      </div>
    </ViewerContext>
  );
}

type HeadProps = { overview: Overview | undefined; filterText: string; children: ReactNode };

function Head({ overview, filterText, children }: HeadProps) {
  const days = overview?.days;
  const span = days && period(days[0]?.date ?? null, days.at(-1)?.date ?? null);
  const lead = filterText && `${filterText}. `;
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3 pb-4">
      <div className="min-w-0 flex-1 basis-72">
        <h1 tabIndex={-1} className="pt-1 text-[2rem]">
          {overview ? netHeadline(overview.figures) : "Analytics"}
        </h1>
        <p role="status" className="mt-2 min-h-[1.45em] text-data text-ink-2">
          {overview &&
            `${lead}${plural(overview.figures.closedTrades, "closed trade")}${span ? `, ${span}` : ""}. Charges are estimated.`}
        </p>
      </div>
      {children}
    </div>
  );
}

function NoClosedTrades({ overview, onClear }: { overview: Overview; onClear: () => void }) {
  const filtered = overview.scope.closedTrades > 0;
  return (
    <>
      <div className="mt-6 border-line border-y py-10">
        <h2 className="text-h3">
          {filtered ? "No closed trades match these filters" : "No closed trades yet"}
        </h2>
        <p className="mt-2 max-w-prose text-ink-2">
          {filtered
            ? "You have closed trades, but none match all the filters."
            : `You have ${plural(overview.scope.trades, "trade")}, but no position is closed yet. Analytics appear after your first closed trade.`}
        </p>
        {filtered && (
          <Button variant="secondary" onClick={onClear} className="mt-5">
            Clear filters
          </Button>
        )}
      </div>
      {!filtered && (
        <div className="mt-6 space-y-5">
          <MissingDataBanner {...overview.dataIssues} doubtful={0} />
          <Suspense>
            <OpenPositionsPanel />
          </Suspense>
        </div>
      )}
    </>
  );
}

function NoTrades({ isOwner }: { isOwner: boolean }) {
  return (
    <div className="flex flex-col items-start py-8">
      <FirstLine />
      <h1 tabIndex={-1} className="mt-9 text-h2">
        No analytics yet
      </h1>
      <p className="mt-3 font-medium">You haven&rsquo;t added any trades yet.</p>
      <p className="text-ink-2">Analytics appear after your first closed trade.</p>
      {isOwner && (
        <ButtonLink to="/dashboard?panel=0" className="mt-6">
          Add Trades
        </ButtonLink>
      )}
    </div>
  );
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
