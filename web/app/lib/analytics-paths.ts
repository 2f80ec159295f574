/** Pages of the analytics, each with its own address. */
export const ANALYTICS_PAGES = [
  { page: "overview", to: "/analytics", label: "Overview" },
  { page: "trades", to: "/analytics/trades", label: "Trades" },
  { page: "breakdown", to: "/analytics/breakdown", label: "Breakdown" },
  { page: "charges", to: "/analytics/charges", label: "Charges" },
  { page: "tax", to: "/analytics/tax", label: "Tax" },
] as const;

export type AnalyticsPage = (typeof ANALYTICS_PAGES)[number]["page"];

/** Address of the comparison with the broker's report, a panel of the charges. */
export const RECONCILE_PATH = "/analytics/charges?panel=reconcile";

/** Address of the list of trades. */
export const TRADES_PATH = "/analytics/trades";

/** Returns the page at a path, with or without a slash at its end. */
export function parseAnalyticsPage(pathname: string): (typeof ANALYTICS_PAGES)[number] | undefined {
  const path = pathname.replace(/\/+$/, "");
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
  if (parseAnalyticsPage(pathname)?.page !== "overview") return undefined;
  const params = new URLSearchParams(search);
  if (params.get("panel") === "reconcile") return `/analytics/charges${search}`;
  const isList = hash === "#closed-trades" || hash === "#corporate-actions";
  if (!isList && !DRILLDOWN_KEYS.some((key) => params.has(key))) return undefined;
  return TRADES_PATH + search + (hash === "#corporate-actions" ? hash : "");
}
