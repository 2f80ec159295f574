import { useEffect, useState } from "react";
import { PrefetchPageLinks } from "react-router";
import { ENTRY_PATH } from "#features/entry/entry-intent.ts";
import { ANALYTICS } from "#features/shell/desk-items.ts";

const PAGES = ["/dashboard", ENTRY_PATH, "/account", ANALYTICS.to];
/** What the pages fetch when it is wanted. */
const PARTS = [
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
];
/** After the page that is open has what it needs, in milliseconds. */
const WAIT = 3_000;

/**
 * Fetches the other pages of the desk while nothing else goes on, so that they open without a network, too: for one
 * that cannot be fetched the router loads the whole page anew, and a file that was chosen would go with it.
 */
export function Ahead() {
  const [idle, setIdle] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIdle(navigator.onLine && !savesData()), WAIT);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    // One that fails is asked for again when it is wanted.
    if (idle) for (const part of PARTS) part().catch(() => undefined);
  }, [idle]);
  return idle && PAGES.map((page) => <PrefetchPageLinks key={page} page={page} />);
}

/** Whether the reader asked the browser to fetch no more than it must. Chromium alone can say so. */
function savesData(): boolean {
  const { connection } = navigator as Navigator & { connection?: { saveData: boolean } };
  return connection?.saveData ?? false;
}
