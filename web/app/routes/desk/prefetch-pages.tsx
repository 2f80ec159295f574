import { useEffect, useState } from "react";
import { PrefetchPageLinks } from "react-router";
import { ENTRY_PATH } from "#features/entry/entry-intent.ts";
import { ANALYTICS, JOURNAL } from "#features/shell/desk-items.ts";
import { TRADES_PATH } from "#lib/analytics-paths.ts";

const PAGES = ["/dashboard", ENTRY_PATH, "/account", ANALYTICS.to, TRADES_PATH, JOURNAL.to];
/** Chunks that these pages load on demand. */
const CHUNKS = [
  () => import("./add-trades-panel.tsx"),
  () => import("./manual-entry-panel.tsx"),
  () => import("./log-head.tsx"),
  () => import("./history-panel.tsx"),
  () => import("#features/trades/log-body.tsx"),
  () => import("#features/trades/log-tools.tsx"),
  () => import("#features/trades/empty-log.tsx"),
  () => import("#features/entry/entry-form.tsx"),
  () => import("#features/account/profile-panel.tsx"),
  () => import("#features/account/security-panel.tsx"),
  () => import("#features/account/data-panel.tsx"),
  () => import("#features/analytics/analytics-pages.tsx"),
  () => import("#features/analytics/analytics-sections.tsx"),
  () => import("#features/analytics/pages/trades-page.tsx"),
  () => import("#features/trader-journal/days-page.tsx"),
  () => import("#features/trader-journal/day-page.tsx"),
  () => import("#features/trader-journal/markdown.tsx"),
];
/** Delay after the open page has loaded. */
const PREFETCH_DELAY_MS = 3_000;

/**
 * Prefetches the other desk pages while the browser is idle, so that they also open offline. If a page could not be
 * loaded, the router would reload the whole app, and a chosen file would be lost.
 */
export function PrefetchPages() {
  const [idle, setIdle] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIdle(navigator.onLine && !savesData()), PREFETCH_DELAY_MS);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    // A chunk that fails is loaded again when it is needed.
    if (idle) for (const load of CHUNKS) load().catch(() => undefined);
  }, [idle]);
  return idle && PAGES.map((page) => <PrefetchPageLinks key={page} page={page} />);
}

/** Returns true if the user enabled the data saver of the browser; only Chromium reports it. */
function savesData(): boolean {
  const { connection } = navigator as Navigator & { connection?: { saveData: boolean } };
  return connection?.saveData ?? false;
}
