import type { Schemas } from "#lib/api.ts";
import { type BrokerFilter, brokerFilterQuery, parseBrokerFilter, TRADE_TYPES } from "#lib/books.ts";
import { parseDate } from "#lib/period.ts";

const SIDES: readonly Schemas["Side"][] = ["buy", "sell"];
const SORT_KEYS = ["type", "symbol", "quantity", "price", "timestamp", "broker"] as const;

export type SortKey = (typeof SORT_KEYS)[number];
export type Sort = SortKey | `-${SortKey}`;

export const SORTS: readonly Sort[] = SORT_KEYS.flatMap((key) => [key, `-${key}` as const]);

/** Filters and order of the log; an empty string means no filter. */
export type LogView = {
  /** Words and tags to search for. */
  q: string;
  broker: BrokerFilter;
  tradetype: Schemas["TradeType"] | "";
  side: Schemas["Side"] | "";
  /** Days in India, as 2025-06-20. */
  from: string;
  to: string;
  sort: Sort;
};

export const DEFAULT_VIEW: LogView = {
  q: "",
  broker: "",
  tradetype: "",
  side: "",
  from: "",
  to: "",
  sort: "-timestamp",
};

const KEYS = ["q", "broker", "tradetype", "side", "from", "to", "sort"] as const;
const FILTERS = ["q", "broker", "tradetype", "side"] as const;
export const MAX_SEARCH_LENGTH = 100;

/** Parses the view of an address; ignores invalid values. */
export function parseView(params: URLSearchParams): LogView {
  const from = parseDate(params.get("from"));
  const to = parseDate(params.get("to"));
  return {
    q: cleanSearch(params.get("q") ?? ""),
    broker: parseBrokerFilter(params.get("broker")),
    tradetype: oneOf(params.get("tradetype"), values(TRADE_TYPES)) ?? "",
    side: oneOf(params.get("side"), SIDES) ?? "",
    from,
    to: from && to && to < from ? "" : to,
    sort: oneOf(params.get("sort"), SORTS) ?? DEFAULT_VIEW.sort,
  };
}

/** Returns the parameters with another view. Defaults are not written; other parameters stay. */
export function writeView(params: URLSearchParams, view: LogView): URLSearchParams {
  const next = new URLSearchParams(params);
  for (const key of KEYS) {
    if (view[key] === DEFAULT_VIEW[key]) next.delete(key);
    else next.set(key, view[key]);
  }
  return next;
}

/** Counts the active filters; a period counts once, the order does not count. */
export function countFilters(view: LogView): number {
  return FILTERS.filter((key) => view[key] !== "").length + (view.from || view.to ? 1 : 0);
}

export function clearFilters(view: LogView): LogView {
  return { ...DEFAULT_VIEW, sort: view.sort };
}

/** Sets one end of the period, and clears the other end if the period would end before it begins. */
export function withDay(view: LogView, end: "from" | "to", value: string): LogView {
  const next = { ...view, [end]: value };
  if (next.from && next.to && next.from > next.to) next[end === "from" ? "to" : "from"] = "";
  return next;
}

/** Returns the request parameters of a view, without defaults. */
export function viewQuery({ side, sort, ...filters }: LogView) {
  return {
    ...(filters.q && { search: filters.q }),
    ...brokerFilterQuery(filters.broker),
    ...(filters.tradetype && { tradetype: filters.tradetype }),
    ...(side && { type: side }),
    ...(filters.from && { from: filters.from }),
    ...(filters.to && { to: filters.to }),
    ...(sort !== DEFAULT_VIEW.sort && { sort }),
  };
}

export function sortKey(sort: Sort): SortKey {
  return SORT_KEYS.find((key) => sort.endsWith(key)) ?? "timestamp";
}

/** Returns the order after a click on a column: reversed, or the most useful order of another column. */
export function toggleSort(sort: Sort, key: SortKey): Sort {
  if (sort === key) return `-${key}`;
  if (sort === `-${key}`) return key;
  return key === "symbol" || key === "broker" || key === "type" ? key : `-${key}`;
}

export function cleanSearch(text: string): string {
  return text
    .replace(/\p{Cc}/gu, "")
    .trim()
    .slice(0, MAX_SEARCH_LENGTH);
}

function values<T extends string>(options: readonly { value: T }[]): T[] {
  return options.map(({ value }) => value);
}

function oneOf<T extends string>(value: string | null, options: readonly T[]): T | undefined {
  return options.find((option) => option === value);
}
