import { ChevronRight } from "lucide-react";
import { Link } from "react-router";
import { AccessExpired } from "#features/analytics/access-expired.tsx";
import { FRESH, type Strategy, type StrategyDetail } from "#features/analytics/analytics-api.ts";
import { PageLinks } from "#features/analytics/page-links.tsx";
import { ChainPanel } from "#features/analytics/strategies/chain-panel.tsx";
import { LegsPanel } from "#features/analytics/strategies/legs-panel.tsx";
import { PayoffPanel } from "#features/analytics/strategies/payoff-panel.tsx";
import { StepsPanel } from "#features/analytics/strategies/steps-panel.tsx";
import {
  capitalize,
  daysText,
  heldDays,
  otherShapes,
  shapeName,
  strategyName,
} from "#features/analytics/strategies/strategy-names.ts";
import { StrategyStrip } from "#features/analytics/strategies/strategy-strip.tsx";
import { useViewer, type Viewer, ViewerContext } from "#features/analytics/viewer.ts";
import { FIX_PATH, STRATEGIES_PATH, TRADES_PATH } from "#lib/analytics-paths.ts";
import { isProblem } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { brokerAccountName } from "#lib/books.ts";
import { count, plural } from "#lib/format.ts";
import { Banner } from "#ui/banner.tsx";
import { ButtonLink } from "#ui/button.tsx";
import { LoadFailure } from "#ui/load-failure.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

/** Page of one strategy: figures, payoff, adjustments, legs and rolls. */
export function StrategyPage({ viewer, id }: { viewer: Viewer; id: string }) {
  return (
    <ViewerContext value={viewer}>
      <div className="mx-auto max-w-[1160px]">
        <PageLinks page="trades" />
        <StrategyContent id={id} />
      </div>
    </ViewerContext>
  );
}

function StrategyContent({ id }: { id: string }) {
  const viewer = useViewer();
  const query = $api.useQuery(
    "get",
    "/analytics/strategies/{id}",
    { params: { path: { id } }, ...viewer.requestInit },
    FRESH,
  );
  const { data, error } = query;
  if (error && isProblem(error)) {
    if (error.status === 401) return <AccessExpired />;
    if (error.status === 404) return <NoStrategy />;
  }
  return (
    <>
      <Breadcrumb strategy={data?.strategy} />
      <h1 tabIndex={-1} className="pt-1 text-[2rem]">
        {data ? strategyName(data.strategy) : "Strategy"}
      </h1>
      {data ? (
        <Detail detail={data} />
      ) : error ? (
        <LoadFailure error={error} busy={query.isFetching} onRetry={() => void query.refetch()} />
      ) : (
        <TableSkeleton label="Loading the strategy" />
      )}
    </>
  );
}

function Detail({ detail }: { detail: StrategyDetail }) {
  const { strategy, steps, payoff, firstPayoff, chain } = detail;
  const others = otherShapes(strategy);
  return (
    <>
      <p className="mt-2 pb-4 text-data text-ink-2">{factsText(strategy)}</p>
      <div className="space-y-5">
        {strategy.state === "awaitingSettlement" && (
          <Banner
            tone="warn"
            title="Contracts expired while open"
            actions={
              <ButtonLink variant="secondary" size="sm" to={FIX_PATH}>
                Show data issues
              </ButtonLink>
            }
          >
            The result is complete after their settlement is entered.
          </Banner>
        )}
        {strategy.candidates.length > 0 && (
          <Banner title="The grouping is not certain">
            {others
              ? `These legs could also be grouped as ${others}.`
              : "Some of these legs could also belong to another strategy."}
          </Banner>
        )}
        <StrategyStrip strategy={strategy} payoff={payoff} />
        <div className="grid grid-cols-1 gap-5 min-[72rem]:grid-cols-[minmax(0,1fr)_21rem]">
          <PayoffPanel detail={detail} />
          <StepsPanel strategy={strategy} steps={steps} payoff={payoff} firstPayoff={firstPayoff} />
        </div>
        <LegsPanel strategy={strategy} />
        {chain.length > 1 && <ChainPanel chain={chain} current={strategy.id} />}
      </div>
    </>
  );
}

/** Returns account, quantity and days: "Zerodha · 130 of each leg · 12 to 20 Nov 2026, 8 days". */
function factsText(strategy: Strategy): string {
  const quantities = new Set(strategy.legs.map(({ quantity }) => quantity));
  const [quantity] = quantities;
  const days = heldDays(strategy);
  return [
    brokerAccountName(strategy),
    quantities.size === 1 &&
      quantity !== undefined &&
      `${count(quantity)}${strategy.legs.length > 1 ? " of each leg" : ""}`,
    daysText(strategy) +
      (days === undefined ? ", still open" : days === 0 ? ", intraday" : `, ${plural(days, "day")}`),
  ]
    .filter(Boolean)
    .join(" · ");
}

function Breadcrumb({ strategy }: { strategy?: Strategy | undefined }) {
  return (
    <nav aria-label="Breadcrumb" data-print="no" className="-mt-2 text-data">
      <ol className="flex flex-wrap items-center gap-x-2">
        <Crumb to={TRADES_PATH}>Trades</Crumb>
        <Crumb to={STRATEGIES_PATH}>Strategies</Crumb>
        {strategy && (
          <Crumb to={`${STRATEGIES_PATH}?shape=${strategy.shape}`}>
            {capitalize(shapeName(strategy.shape))}
          </Crumb>
        )}
      </ol>
    </nav>
  );
}

function Crumb({ to, children }: { to: string; children: string }) {
  return (
    <li className="flex items-center gap-x-2 text-ink-2">
      {to !== TRADES_PATH && <ChevronRight size={14} aria-hidden className="text-ink-3" />}
      <Link to={to} className="flex min-h-11 items-center hover:text-ink hover:underline">
        {children}
      </Link>
    </li>
  );
}

/** Shown when no strategy begins with the fill of the id, for example after an older file was imported. */
function NoStrategy() {
  return (
    <>
      <Breadcrumb />
      <h1 tabIndex={-1} className="pt-1 pb-2 text-[2rem]">
        Strategy not found
      </h1>
      <p className="max-w-prose text-ink-2">
        No strategy in your trades has this address. If you have imported or removed trades, its legs may be
        grouped in another way now.
      </p>
    </>
  );
}
