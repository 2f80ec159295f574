/** Pages of the analytics, each with its own address. */
export const ANALYTICS_PAGES = [
  { page: "overview", to: "/analytics", label: "Overview", title: "Analytics" },
  { page: "trades", to: "/analytics/trades", label: "Trades", title: "Trades" },
  { page: "breakdown", to: "/analytics/breakdown", label: "Breakdown", title: "Breakdown" },
  { page: "charges", to: "/analytics/charges", label: "Charges", title: "Charges" },
  { page: "tax", to: "/analytics/tax", label: "Tax", title: "Tax" },
  { page: "fix", to: "/analytics/fix", label: "Fix", title: "Data issues" },
] as const;

export type AnalyticsPage = (typeof ANALYTICS_PAGES)[number]["page"] | "position" | "strategies";

/** Address of the comparison with the broker's report, a panel of the charges. */
export const RECONCILE_PATH = "/analytics/charges?panel=reconcile";

/** Address of the list of positions. */
export const TRADES_PATH = "/analytics/trades";

/** Address of the data issues. */
export const FIX_PATH = "/analytics/fix";

/** Page of one position; the entry of the navigation is that of the list. */
const POSITION_PAGE = { page: "position", to: TRADES_PATH, title: "Position" } as const;

/** List of the strategies, and the page of each, which is the same file and so has the same title. */
const STRATEGIES_PAGE = { page: "strategies", to: TRADES_PATH, title: "Strategies" } as const;

/** Address of the list of strategies. */
export const STRATEGIES_PATH = "/analytics/strategies";

/** Returns the address of the page of a strategy. */
export function strategyPath(id: string): string {
  return `${STRATEGIES_PATH}/${id}`;
}

/** Returns the id of the strategy whose page is at a path; empty for other paths. */
export function parseStrategyPath(pathname: string): string {
  return /^\/analytics\/strategies\/([0-9a-f]{20})\/*$/.exec(pathname)?.[1] ?? "";
}

const POSITIONS_PATH = "/analytics/positions";

/** Returns the address of the page of a position. */
export function positionPath(id: string): string {
  return `${POSITIONS_PATH}/${id}`;
}

/** Returns the id of the position whose page is at a path; empty for other paths. */
export function parsePositionPath(pathname: string): string {
  return /^\/analytics\/positions\/([0-9a-f]{20})\/*$/.exec(pathname)?.[1] ?? "";
}

/** Returns the page at a path, with or without a slash at its end. */
export function parseAnalyticsPage(
  pathname: string,
): (typeof ANALYTICS_PAGES)[number] | typeof POSITION_PAGE | typeof STRATEGIES_PAGE | undefined {
  const path = pathname.replace(/\/+$/, "");
  // The server sends the file of the address without an id for every position.
  if (path === POSITIONS_PATH || parsePositionPath(pathname)) return POSITION_PAGE;
  if (path === STRATEGIES_PATH || parseStrategyPath(pathname)) return STRATEGIES_PAGE;
  return ANALYTICS_PAGES.find(({ to }) => to === path);
}

/** Parameters of the filters, which all pages share. */
export const FILTER_KEYS = ["from", "to", "broker", "segment", "symbol", "side", "unit"] as const;

/** Returns the address of a page with the filters of the current address. */
export function withFilters(to: string, search: string): string {
  const [params, kept] = [new URLSearchParams(search), new URLSearchParams()];
  for (const key of FILTER_KEYS) {
    const value = params.get(key);
    if (value) kept.set(key, value);
  }
  return kept.size > 0 ? `${to}?${kept}` : to;
}

/** Parameters of a figure's trades, which were on the overview when all analytics were one page. */
const DRILLDOWN_KEYS = ["closedTrade", "result", "day", "net", "r", "by", "key"];

/** Returns the new address of a part of the former single page; undefined if the address is up to date. */
export function movedAddress(pathname: string, search: string, hash: string): string | undefined {
  const path = pathname.replace(/\/+$/, "");
  if (path === POSITIONS_PATH) return TRADES_PATH + search;
  if (path !== "/analytics") return undefined;
  const params = new URLSearchParams(search);
  if (params.get("panel") === "reconcile") return `/analytics/charges${search}`;
  if (hash === "#corporate-actions") return FIX_PATH;
  const isList = hash === "#closed-trades" || DRILLDOWN_KEYS.some((key) => params.has(key));
  return isList ? TRADES_PATH + search : undefined;
}
