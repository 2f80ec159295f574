import { ChevronRight } from "lucide-react";
import { lazy, Suspense } from "react";
import { Link } from "react-router";
import { FRESH, type Strategy, type StrategyDetail } from "#features/analytics/analytics-api.ts";
import { PageLinks } from "#features/analytics/page-links.tsx";
import { LegsPanel } from "#features/analytics/strategies/legs-panel.tsx";
import { PayoffPanel } from "#features/analytics/strategies/payoff-panel.tsx";
import { PhoneDetails } from "#features/analytics/strategies/phone-details.tsx";
import { StepsPanel } from "#features/analytics/strategies/steps-panel.tsx";
import {
  capitalize,
  daysText,
  heldDays,
  shapeName,
  shapeTitle,
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

const AccessExpired = lazy(async () => ({
  default: (await import("#features/analytics/access-expired.tsx")).AccessExpired,
}));
const ChainPanel = lazy(async () => ({
  default: (await import("#features/analytics/strategies/chain-panel.tsx")).ChainPanel,
}));
const StrategyDecisions = lazy(async () => ({
  default: (await import("#features/analytics/strategy-decisions/strategy-decisions.tsx")).StrategyDecisions,
}));

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
  const status = isProblem(error) ? error.status : 0;
  if (status === 401) return <AccessExpired />;
  // After a decision or an import, no strategy may begin with the fill of the id any more.
  const isMissing = status === 404;
  const strategy = isMissing ? undefined : data?.strategy;
  return (
    <>
      <Breadcrumb strategy={strategy} />
      <h1 tabIndex={-1} className="pt-1 text-[2rem]">
        {strategy ? strategyName(strategy) : isMissing ? "Strategy not found" : "Strategy"}
      </h1>
      {strategy && <p className="mt-2 pb-4 text-data text-ink-2">{factsText(strategy)}</p>}
      {viewer.isOwner && (
        <Suspense fallback={<div className="h-14 max-sm:h-28" />}>
          <StrategyDecisions id={id} strategy={strategy} />
        </Suspense>
      )}
      {isMissing ? (
        <p className="max-w-prose pt-2 text-ink-2">
          The trades of this strategy were removed, or are grouped in another way now.{" "}
          <Link to={STRATEGIES_PATH} className="link">
            See all strategies
          </Link>
        </p>
      ) : data ? (
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
  const { isOwner, strategyJournal } = useViewer();
  return (
    <>
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
        {!isOwner && strategy.candidates.length > 0 && (
          <Banner title="The grouping is not certain">These legs can be grouped in several ways.</Banner>
        )}
        <StrategyStrip strategy={strategy} payoff={payoff} />
        <div className="grid grid-cols-1 gap-5 min-[72rem]:grid-cols-[minmax(0,1fr)_21rem]">
          <PayoffPanel detail={detail} />
          <StepsPanel strategy={strategy} steps={steps} payoff={payoff} firstPayoff={firstPayoff} />
        </div>
        <LegsPanel strategy={strategy} />
        {chain.length > 1 && (
          <Suspense>
            <ChainPanel chain={chain} current={strategy.id} />
          </Suspense>
        )}
      </div>
      {strategyJournal && (
        <div className="mt-8 max-w-3xl">
          <PhoneDetails summary="Journal and review">{strategyJournal(strategy)}</PhoneDetails>
        </div>
      )}
    </>
  );
}

/** Returns account, quantity and days: "Zerodha · 130 of each leg · 12 to 20 Nov 2026, 8 days · Confirmed". */
function factsText(strategy: Strategy): string {
  const quantities = new Set(strategy.legs.map(({ quantity }) => quantity));
  const [quantity] = quantities;
  const days = heldDays(strategy);
  return [
    strategy.name && shapeTitle(strategy),
    brokerAccountName(strategy),
    quantities.size === 1 &&
      quantity !== undefined &&
      `${count(quantity)}${strategy.legs.length > 1 ? " of each leg" : ""}`,
    daysText(strategy) +
      (days === undefined ? ", still open" : days === 0 ? ", intraday" : `, ${plural(days, "day")}`),
    strategy.confirmedAt && "Confirmed",
  ]
    .filter(Boolean)
    .join(" · ");
}

function Breadcrumb({ strategy }: { strategy?: Strategy | undefined }) {
  return (
    <nav aria-label="Breadcrumb" className="-mt-2 text-data">
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
