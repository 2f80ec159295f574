import { BROKERS, brokerName } from "#content/books.ts";
import {
  GROUPINGS,
  type GroupBy,
  groupName,
  SEGMENTS,
  SIDES,
} from "#features/analytics/filters/groupings.ts";
import {
  type Measure,
  parseRange,
  type Range,
  rangeName,
  writeRange,
} from "#features/analytics/filters/ranges.ts";
import type { Schemas } from "#lib/api.ts";
import { date } from "#lib/format.ts";
import { day } from "#lib/period.ts";

/** Which closed trades all figures of the page are of. An empty text lets everything through. */
export type Filters = {
  /** Days in India on which they were closed. */
  from: string;
  to: string;
  broker: Schemas["Broker"] | "";
  segment: Schemas["ClosedTradeSegment"] | "";
  symbol: string;
  side: Schemas["Direction"] | "";
};

/** The figure whose closed trades the list shows; the rest of the page is not touched by it. */
export type Behind =
  | { kind: "all" }
  /** By its id. */
  | { kind: "closedTrade"; id: string }
  | { kind: "result"; result: "win" | "loss" }
  | { kind: "day"; day: string }
  | { kind: "range"; of: Measure; range: Range }
  | { kind: "group"; by: GroupBy; key: string };

export const NO_FILTERS: Filters = { from: "", to: "", broker: "", segment: "", symbol: "", side: "" };

const FILTER_KEYS = ["from", "to", "broker", "segment", "symbol", "side"] as const;
const BEHIND_KEYS = ["closedTrade", "result", "day", "net", "r", "by", "key"] as const;
const MEASURES = ["net", "r"] as const;
const LONGEST = 100;

/** Reads the filters from an address, which anybody may have typed: what makes no sense is left out. */
export function parseFilters(params: URLSearchParams): Filters {
  const from = day(params.get("from"));
  const to = day(params.get("to"));
  return {
    from,
    to: from && to && to < from ? "" : to,
    broker: chosen(params.get("broker"), BROKERS) ?? "",
    segment: chosen(params.get("segment"), SEGMENTS) ?? "",
    symbol: (params.get("symbol") ?? "").trim().slice(0, 64),
    side: chosen(params.get("side"), SIDES) ?? "",
  };
}

/** The same address with other filters. What stood behind a figure may not be there any more: it goes. */
export function writeFilters(params: URLSearchParams, filters: Filters): URLSearchParams {
  const next = writeBehind(params, { kind: "all" });
  for (const key of FILTER_KEYS) put(next, key, filters[key]);
  return next;
}

export function parseBehind(params: URLSearchParams): Behind {
  const result = params.get("result");
  const closedTrade = params.get("closedTrade") ?? "";
  const onDay = day(params.get("day"));
  const by = chosen(params.get("by"), GROUPINGS);
  const key = params.get("key") ?? "";
  if (/^[\w-]{1,24}$/.test(closedTrade)) return { kind: "closedTrade", id: closedTrade };
  if (onDay) return { kind: "day", day: onDay };
  for (const of of MEASURES) {
    const range = parseRange(params.get(of));
    if (range) return { kind: "range", of, range };
  }
  if (by && key && key.length <= LONGEST) return { kind: "group", by, key };
  if (result === "win" || result === "loss") return { kind: "result", result };
  return { kind: "all" };
}

export function writeBehind(params: URLSearchParams, behind: Behind): URLSearchParams {
  const next = new URLSearchParams(params);
  for (const key of BEHIND_KEYS) next.delete(key);
  if (behind.kind === "closedTrade") next.set("closedTrade", behind.id);
  if (behind.kind === "result") next.set("result", behind.result);
  if (behind.kind === "day") next.set("day", behind.day);
  if (behind.kind === "range") next.set(behind.of, writeRange(behind.range));
  if (behind.kind === "group") {
    next.set("by", behind.by);
    next.set("key", behind.key);
  }
  return next;
}

/** How many filters are set; a period counts once. */
export function countFilters({ from, to, ...others }: Filters): number {
  return Object.values(others).filter(Boolean).length + (from || to ? 1 : 0);
}

/** The parameters of the request. */
export function filterQuery(filters: Filters) {
  return {
    ...(filters.from && { from: filters.from }),
    ...(filters.to && { to: filters.to }),
    ...(filters.broker && { broker: filters.broker }),
    ...(filters.segment && { segment: filters.segment }),
    ...(filters.symbol && { symbol: filters.symbol }),
    ...(filters.side && { side: filters.side }),
  };
}

/** The parameters of the list behind a figure. A day lies within the period that the figure was of. */
export function behindQuery(filters: Filters, behind: Behind) {
  const query = filterQuery(filters);
  if (behind.kind === "closedTrade") return { ...query, id: behind.id };
  if (behind.kind === "result") return { ...query, result: behind.result };
  if (behind.kind === "day") return { ...query, from: behind.day, to: behind.day };
  if (behind.kind === "range") return { ...query, [behind.of]: writeRange(behind.range) };
  if (behind.kind === "group") return { ...query, by: behind.by, key: behind.key };
  return query;
}

/** "Wednesday", "Winners", "12 Jun 2025": what the list is narrowed to. */
export function behindName(behind: Behind): string {
  if (behind.kind === "closedTrade") return "One closed trade";
  if (behind.kind === "result") return behind.result === "win" ? "Winners" : "Losers";
  if (behind.kind === "day") return date(behind.day);
  if (behind.kind === "range") return rangeName(behind.of, behind.range);
  if (behind.kind === "group") return groupName(behind.by, behind.key);
  return "";
}

/** What the figures are of, besides the period: "Zerodha, Options, NIFTY". */
export function filterWords(filters: Filters): string {
  return [
    filters.broker && brokerName(filters.broker),
    SEGMENTS.find(({ value }) => value === filters.segment)?.label,
    filters.symbol,
    SIDES.find(({ value }) => value === filters.side)?.label,
  ]
    .filter(Boolean)
    .join(", ");
}

function chosen<T extends string>(value: string | null, options: readonly { value: T }[]): T | undefined {
  return options.find((option) => option.value === value)?.value;
}

function put(params: URLSearchParams, key: string, value: string): void {
  if (value) params.set(key, value);
  else params.delete(key);
}
