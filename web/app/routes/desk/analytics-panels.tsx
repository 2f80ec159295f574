import { lazy, type RefObject, Suspense, useEffect, useMemo, useRef } from "react";
import { useLocation, useNavigationType, useSearchParams } from "react-router";
import { FIX_PATH } from "#features/analytics/analytics-paths.ts";
import type { Viewer } from "#features/analytics/viewer.ts";
import { withToken } from "#lib/api.ts";
import { TableSkeleton } from "#ui/skeleton.tsx";

const AnalyticsPages = lazy(async () => ({
  default: (await import("#features/analytics/analytics-pages.tsx")).AnalyticsPages,
}));
const ReconcilePage = lazy(async () => ({
  default: (await import("#features/analytics/reconcile/reconcile-page.tsx")).ReconcilePage,
}));

const FixPage = lazy(async () => ({
  default: (await import("#features/analytics/fix/fix-page.tsx")).FixPage,
}));

/** Returns true for the address of the data issues. */
export function isFixPath(pathname: string): boolean {
  return pathname.replace(/\/$/, "") === FIX_PATH;
}

/** The analytics, the data issues, or the comparison with the broker; `token` is for a reader without a session. */
export function AnalyticsPanels({ name, token }: { name: string; token?: string }) {
  const [params] = useSearchParams();
  const { pathname } = useLocation();
  const panel = isFixPath(pathname) ? "fix" : params.get("panel") === "reconcile" ? "reconcile" : "figures";
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
      {panel === "reconcile" && <ReconcilePage viewer={viewer} />}
      {panel === "fix" && <FixPage viewer={viewer} />}
      {panel === "figures" && <AnalyticsPages viewer={viewer} />}
      <PanelFocus panel={panel} shown={shown} />
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
