import { lazy, type RefObject, Suspense, useEffect, useMemo, useRef } from "react";
import { useLocation, useNavigationType, useSearchParams } from "react-router";
import type { Viewer } from "#features/analytics/viewer.ts";
import { withToken } from "#lib/api.ts";
import { TableSkeleton } from "#ui/skeleton.tsx";

const AnalyticsPages = lazy(async () => ({
  default: (await import("#features/analytics/analytics-pages.tsx")).AnalyticsPages,
}));
const ReconcilePage = lazy(async () => ({
  default: (await import("#features/analytics/reconcile/reconcile-page.tsx")).ReconcilePage,
}));

/** The figures, or the comparison with the broker; `token` is that of a reader without a session. */
export function AnalyticsPanels({ name, token }: { name: string; token?: string }) {
  const [params] = useSearchParams();
  const panel = params.get("panel") === "reconcile" ? "reconcile" : "figures";
  const shown = useRef(panel);
  const viewer = useMemo<Viewer>(
    () =>
      token
        ? { name, requestInit: withToken(token), isOwner: false }
        : { name, requestInit: {}, isOwner: true },
    [name, token],
  );
  return (
    <Suspense key={panel} fallback={<TableSkeleton label="Loading your analytics" />}>
      {panel === "reconcile" ? <ReconcilePage viewer={viewer} /> : <AnalyticsPages viewer={viewer} />}
      <Arrival panel={panel} shown={shown} />
    </Suspense>
  );
}

/** A change of the panel is a change of the page. In one boundary with it: not before it is there. */
function Arrival({ panel, shown }: { panel: string; shown: RefObject<string> }) {
  const { hash } = useLocation();
  const type = useNavigationType();
  useEffect(() => {
    if (shown.current === panel) return;
    shown.current = panel;
    // Who goes to a place of the page arrives there.
    if (hash) return;
    if (type !== "POP") window.scrollTo(0, 0);
    document.querySelector<HTMLElement>("main h1[tabindex='-1']")?.focus({ preventScroll: true });
  }, [panel, shown, hash, type]);
  return null;
}
