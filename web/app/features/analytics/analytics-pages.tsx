import { keepPreviousData } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense } from "react";
import { FRESH, type Overview } from "#features/analytics/analytics-api.ts";
import { AnalyticsSections } from "#features/analytics/analytics-sections.tsx";
import { AnalyticsSkeleton } from "#features/analytics/analytics-skeleton.tsx";
import { headline } from "#features/analytics/figures/findings.ts";
import { filterQuery, filterWords, NO_FILTERS } from "#features/analytics/filters/analytics-view.ts";
import { FilterBar } from "#features/analytics/filters/filter-bar.tsx";
import { useFilters } from "#features/analytics/filters/use-filters.ts";
import { type Reader, ReaderContext } from "#features/analytics/reader.ts";
import { ReadingOver } from "#features/analytics/reading-over.tsx";
import { RECONCILE } from "#features/analytics/reconcile/reconcile-place.ts";
import { ShareMenu } from "#features/analytics/share/share-menu.tsx";
import { isProblem } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { plural } from "#lib/format.ts";
import { period } from "#lib/period.ts";
import { useMedia } from "#lib/use-media.ts";
import { Button, ButtonLink } from "#ui/button.tsx";
import { FirstLine } from "#ui/drawings.tsx";
import { LoadFailure } from "#ui/load-failure.tsx";

const CompletionPanel = lazy(async () => ({
  default: (await import("#features/analytics/entries/completion-panel.tsx")).CompletionPanel,
}));

/** What the trades say. The first look comes with one answer; lists and the tax pack follow it. */
export function AnalyticsPages({ reader }: { reader: Reader }) {
  const [filters, setFilters] = useFilters();
  const wide = useMedia("(width >= 40rem)");
  const overview = $api.useQuery(
    "get",
    "/analytics/overview",
    { params: { query: filterQuery(filters) }, ...reader.init },
    { ...FRESH, placeholderData: keepPreviousData },
  );
  // Those of the filters before stay, dimmed, until the next have come.
  const { data: shown, error } = overview;

  if (error && !reader.own && isProblem(error) && error.status === 401) return <ReadingOver />;
  if (shown?.scope.trades === 0) return <NoTrades own={reader.own} />;
  return (
    <ReaderContext value={reader}>
      <div className="mx-auto max-w-[1160px]">
        <Head overview={shown} words={filterWords(filters)}>
          {shown && (
            <div data-print="no" className="flex flex-wrap gap-2.5">
              <ButtonLink variant="secondary" size="sm" to={RECONCILE}>
                Reconcile
              </ButtonLink>
              {shown.figures.closedTrades > 0 && <ShareMenu overview={shown} words={filterWords(filters)} />}
            </div>
          )}
        </Head>
        <FilterBar filters={filters} scope={shown?.scope} wide={wide} onChange={setFilters} />
        {!shown && !error && <AnalyticsSkeleton />}
        {!shown && error && (
          <LoadFailure error={error} busy={overview.isFetching} onRetry={() => void overview.refetch()} />
        )}
        {shown && (
          <div
            aria-busy={overview.isPlaceholderData}
            className={
              overview.isPlaceholderData ? "opacity-60 transition-opacity delay-200 duration-120" : ""
            }
          >
            {shown.figures.closedTrades > 0 ? (
              <AnalyticsSections overview={shown} filters={filters} />
            ) : (
              <NothingClosed overview={shown} onClear={() => setFilters(NO_FILTERS)} />
            )}
          </div>
        )}
      </div>
    </ReaderContext>
  );
}

type HeadProps = { overview: Overview | undefined; words: string; children: ReactNode };

function Head({ overview, words, children }: HeadProps) {
  const days = overview?.days;
  const span = days && period(days[0]?.date ?? null, days.at(-1)?.date ?? null);
  const of = words && `${words}. `;
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3 pb-4">
      <div className="min-w-0 flex-1 basis-72">
        <h1 tabIndex={-1} className="pt-1 text-[2rem]">
          {overview ? headline(overview.figures) : "Analytics"}
        </h1>
        <p role="status" className="mt-2 min-h-[1.45em] text-data text-ink-2">
          {overview &&
            `${of}${plural(overview.figures.closedTrades, "closed trade")}${span ? `, ${span}` : ""}. Charges are estimated.`}
        </p>
      </div>
      {children}
    </div>
  );
}

function NothingClosed({ overview, onClear }: { overview: Overview; onClear: () => void }) {
  const filtered = overview.scope.closedTrades > 0;
  return (
    <>
      <div className="mt-6 border-line border-y py-10">
        <h2 className="text-h3">
          {filtered ? "No closed trades match these filters" : "Nothing is closed yet"}
        </h2>
        <p className="mt-2 max-w-prose text-ink-2">
          {filtered
            ? "There are closed trades, but none that fit all of them."
            : `There are ${plural(overview.scope.trades, "trade")}, but no sale that closes a purchase. As soon as there is one, its figures stand here.`}
        </p>
        {filtered && (
          <Button variant="secondary" onClick={onClear} className="mt-5">
            Clear filters
          </Button>
        )}
      </div>
      {!filtered && (
        <div className="mt-6">
          <Suspense>
            <CompletionPanel />
          </Suspense>
        </div>
      )}
    </>
  );
}

function NoTrades({ own }: { own: boolean }) {
  return (
    <div className="flex flex-col items-start py-8">
      <FirstLine />
      <h1 tabIndex={-1} className="mt-9 text-h2">
        Nothing to add up yet
      </h1>
      <p className="mt-3 font-medium">You haven&rsquo;t added any trades yet.</p>
      <p className="text-ink-2">With the first sale of something you bought, the figures begin.</p>
      {own && (
        <ButtonLink to="/dashboard?panel=0" className="mt-6">
          Add Trades
        </ButtonLink>
      )}
    </div>
  );
}
