import { lazy, type ReactNode, type RefObject, Suspense, useEffect, useMemo, useRef } from "react";
import { useLocation, useNavigate, useNavigationType, useSearchParams } from "react-router";
import type { Viewer } from "#features/analytics/viewer.ts";
import {
  movedAddress,
  parseAnalyticsPage,
  parsePositionPath,
  parseStrategyPath,
} from "#lib/analytics-paths.ts";
import { withToken } from "#lib/api.ts";
import { TableSkeleton } from "#ui/skeleton.tsx";

const AnalyticsPages = lazy(async () => ({
  default: (await import("#features/analytics/analytics-pages.tsx")).AnalyticsPages,
}));
const ReconcilePage = lazy(async () => ({
  default: (await import("#features/analytics/reconcile/reconcile-page.tsx")).ReconcilePage,
}));
const PositionPage = lazy(async () => ({
  default: (await import("#features/analytics/positions/position-page.tsx")).PositionPage,
}));
const PositionEntry = lazy(async () => ({
  default: (await import("#features/trader-journal/subject-entry.tsx")).PositionEntry,
}));
const StrategyEntry = lazy(async () => ({
  default: (await import("#features/trader-journal/subject-entry.tsx")).StrategyEntry,
}));
const StrategiesPage = lazy(async () => ({
  default: (await import("#features/analytics/strategies/strategies-page.tsx")).StrategiesPage,
}));
const StrategyPage = lazy(async () => ({
  default: (await import("#features/analytics/strategies/strategy-page.tsx")).StrategyPage,
}));
const Reauthentication = lazy(async () => ({
  default: (await import("#features/account/two-step/reauthentication.tsx")).Reauthentication,
}));
const AddStrategy = lazy(async () => ({
  default: (await import("./add-strategy.tsx")).AddStrategy,
}));
const FixPage = lazy(async () => ({
  default: (await import("#features/analytics/fix/fix-page.tsx")).FixPage,
}));

/** Panels that do not share the title, the filters and the request of the overview. */
const OWN_PAGES: ReadonlySet<string> = new Set(["reconcile", "fix", "position", "strategies", "strategy"]);

type AnalyticsPanelsProps = {
  name: string;
  /** Address of the owner's account, for drafts of the journal; absent for a guest. */
  email?: string;
  /** Token of a reader without a session. */
  token?: string;
};

/** A page of the analytics, or the comparison with the broker. */
export function AnalyticsPanels({ name, email, token }: AnalyticsPanelsProps) {
  const [params] = useSearchParams();
  const { pathname, search, hash } = useLocation();
  const page = parseAnalyticsPage(pathname)?.page ?? "overview";
  const strategyId = parseStrategyPath(pathname);
  const panel =
    page === "charges" && params.get("panel") === "reconcile" ? "reconcile" : strategyId ? "strategy" : page;
  const shown = useRef<string>(panel);
  const viewer = useMemo<Viewer>(
    () =>
      token
        ? { name, requestInit: withToken(token), isOwner: false }
        : {
            name,
            requestInit: {},
            isOwner: true,
            reauthentication: <Reauthentication />,
            ...(email && createJournals(email)),
          },
    [name, email, token],
  );
  const moved = movedAddress(pathname, search, hash);
  const navigate = useNavigate();
  // Not with the Navigate component, which would be in the script of every page.
  useEffect(() => {
    if (moved) void navigate(moved, { replace: true });
  }, [moved, navigate]);
  if (moved) return null;
  return (
    <Suspense
      key={OWN_PAGES.has(panel) ? panel : "figures"}
      fallback={<TableSkeleton label="Loading your analytics" />}
    >
      {panel === "reconcile" ? (
        <ReconcilePage viewer={viewer} />
      ) : panel === "fix" ? (
        <FixPage viewer={viewer} />
      ) : panel === "position" ? (
        <PositionPage viewer={viewer} id={parsePositionPath(pathname)} />
      ) : panel === "strategies" ? (
        <StrategiesPage viewer={viewer} actions={email && createActions(email)} />
      ) : panel === "strategy" ? (
        <StrategyPage viewer={viewer} id={strategyId} />
      ) : (
        <AnalyticsPages viewer={viewer} page={panel} />
      )}
      <PanelFocus panel={panel} shown={shown} />
    </Suspense>
  );
}

/** Returns functions that render the journal of a position and of a strategy. */
function createJournals(email: string): Required<Pick<Viewer, "journal" | "strategyJournal">> {
  const fallback = <TableSkeleton label="Loading the journal" columns={3} />;
  return {
    journal: (position) => (
      <Suspense fallback={fallback}>
        <PositionEntry key={position.id} email={email} position={position} />
      </Suspense>
    ),
    strategyJournal: (strategy) => (
      <Suspense fallback={fallback}>
        <StrategyEntry key={strategy.id} email={email} strategy={strategy} />
      </Suspense>
    ),
  };
}

/** Returns the button of the strategies page, which keeps its place while it loads. */
function createActions(email: string): ReactNode {
  return (
    <Suspense fallback={<div className="h-11" />}>
      <AddStrategy email={email} />
    </Suspense>
  );
}

/** Scrolls and focuses as for a new page when the panel changes; inside its Suspense boundary, so after it has loaded. */
function PanelFocus({ panel, shown }: { panel: string; shown: RefObject<string> }) {
  const { hash } = useLocation();
  const type = useNavigationType();
  useEffect(() => {
    if (shown.current === panel) return;
    shown.current = panel;
    // The URL names a section of the page; the browser scrolls to it.
    if (hash) return;
    if (type !== "POP") window.scrollTo(0, 0);
    document.querySelector<HTMLElement>("main h1[tabindex='-1']")?.focus({ preventScroll: true });
  }, [panel, shown, hash, type]);
  return null;
}
