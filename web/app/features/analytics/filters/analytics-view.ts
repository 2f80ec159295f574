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
import { UNITS, type Unit, type UnitName } from "#features/analytics/filters/units.ts";
import { FILTER_KEYS } from "#lib/analytics-paths.ts";
import type { Schemas } from "#lib/api.ts";
import { type BrokerFilter, brokerAccountName, brokerFilterQuery, parseBrokerFilter } from "#lib/books.ts";
import { date } from "#lib/format.ts";
import { parseDate } from "#lib/period.ts";

/** Filters of the whole page; an empty string means no filter. */
export type Filters = {
  /** First and last exit date in India. */
  from: string;
  to: string;
  broker: BrokerFilter;
  segment: Schemas["ClosedTradeSegment"] | "";
  symbol: string;
  side: Schemas["Direction"] | "";
  /** Unit that the figures count; empty for positions. */
  unit: Exclude<Unit, "positions"> | "";
};

/** Figure whose closed trades the list shows; it does not affect the rest of the page. */
export type Drilldown =
  | { kind: "all" }
  | { kind: "closedTrade"; id: string }
  | { kind: "result"; result: "win" | "loss" }
  | { kind: "day"; day: string }
  | { kind: "range"; measure: Measure; range: Range }
  | { kind: "group"; by: GroupBy; key: string };

export const NO_FILTERS: Filters = {
  from: "",
  to: "",
  broker: "",
  segment: "",
  symbol: "",
  side: "",
  unit: "",
};

const DRILLDOWN_KEYS = ["closedTrade", "result", "day", "net", "r", "by", "key"] as const;
const MEASURES = ["net", "r"] as const;
const MAX_KEY_LENGTH = 100;

/** Parses the filters of an address; ignores invalid values. */
export function parseFilters(params: URLSearchParams): Filters {
  const from = parseDate(params.get("from"));
  const to = parseDate(params.get("to"));
  return {
    from,
    to: from && to && to < from ? "" : to,
    broker: parseBrokerFilter(params.get("broker")),
    segment: chosen(params.get("segment"), SEGMENTS) ?? "",
    symbol: (params.get("symbol") ?? "").trim().slice(0, 64),
    side: chosen(params.get("side"), SIDES) ?? "",
    unit: parseUnit(params.get("unit")),
  };
}

/** Returns the unit that the figures count; empty for positions. */
export function parseUnit(value: string | null): Filters["unit"] {
  const unit = chosen(value, UNITS) ?? "positions";
  return unit === "positions" ? "" : unit;
}

/** Returns the parameters with other filters and without a drill-down, which may not match the new filters. */
export function writeFilters(params: URLSearchParams, filters: Filters): URLSearchParams {
  const next = writePosition(writeDrilldown(params, { kind: "all" }), "");
  for (const key of FILTER_KEYS) put(next, key, filters[key]);
  return next;
}

export function parseDrilldown(params: URLSearchParams): Drilldown {
  const result = params.get("result");
  const closedTrade = params.get("closedTrade") ?? "";
  const onDay = parseDate(params.get("day"));
  const by = chosen(params.get("by"), GROUPINGS);
  const key = params.get("key") ?? "";
  if (/^[\w-]{1,24}$/.test(closedTrade)) return { kind: "closedTrade", id: closedTrade };
  if (onDay) return { kind: "day", day: onDay };
  for (const measure of MEASURES) {
    const range = parseRange(params.get(measure));
    if (range) return { kind: "range", measure, range };
  }
  if (by && key && key.length <= MAX_KEY_LENGTH) return { kind: "group", by, key };
  if (result === "win" || result === "loss") return { kind: "result", result };
  return { kind: "all" };
}

export function writeDrilldown(params: URLSearchParams, drilldown: Drilldown): URLSearchParams {
  const next = new URLSearchParams(params);
  for (const key of DRILLDOWN_KEYS) next.delete(key);
  if (drilldown.kind === "closedTrade") next.set("closedTrade", drilldown.id);
  if (drilldown.kind === "result") next.set("result", drilldown.result);
  if (drilldown.kind === "day") next.set("day", drilldown.day);
  if (drilldown.kind === "range") next.set(drilldown.measure, writeRange(drilldown.range));
  if (drilldown.kind === "group") {
    next.set("by", drilldown.by);
    next.set("key", drilldown.key);
  }
  return next;
}

/** Returns the id of the position in the side panel; empty if the panel is closed. */
export function parsePosition(params: URLSearchParams): string {
  const id = params.get("position") ?? "";
  return /^[0-9a-f]{20}$/.test(id) ? id : "";
}

/** Returns the parameters with another position in the side panel, or with none. */
export function writePosition(params: URLSearchParams, id: string): URLSearchParams {
  const next = new URLSearchParams(params);
  put(next, "position", id);
  return next;
}

/** Counts the active filters; a period counts once, and the unit is no filter. */
export function countFilters({ from, to, unit: _, ...others }: Filters): number {
  return Object.values(others).filter(Boolean).length + (from || to ? 1 : 0);
}

/** Returns the request parameters of figures: the filters and the unit that is counted. */
export function figuresQuery(filters: Filters) {
  return { ...filterQuery(filters), unit: filters.unit || ("positions" as const) };
}

/** Returns the name of the unit that the figures count. */
export function unitName({ unit }: Pick<Filters, "unit">): UnitName {
  return UNITS.find(({ value }) => value === unit)?.name ?? "position";
}

/** Returns the request parameters of the filters. */
export function filterQuery(filters: Filters) {
  return {
    ...(filters.from && { from: filters.from }),
    ...(filters.to && { to: filters.to }),
    ...brokerFilterQuery(filters.broker),
    ...(filters.segment && { segment: filters.segment }),
    ...(filters.symbol && { symbol: filters.symbol }),
    ...(filters.side && { side: filters.side }),
  };
}

/** Returns the request parameters for the closed trades of a figure. A day replaces the period of the filters. */
export function drilldownQuery(filters: Filters, drilldown: Drilldown) {
  const query = filterQuery(filters);
  if (drilldown.kind === "closedTrade") return { ...query, id: drilldown.id };
  if (drilldown.kind === "result") return { ...query, result: drilldown.result };
  if (drilldown.kind === "day") return { ...query, from: drilldown.day, to: drilldown.day };
  if (drilldown.kind === "range") return { ...query, [drilldown.measure]: writeRange(drilldown.range) };
  if (drilldown.kind === "group") return { ...query, by: drilldown.by, key: drilldown.key };
  return query;
}

/** Returns the name of a drill-down: "Wednesday", "Winners", "12 Jun 2025". */
export function drilldownName(drilldown: Drilldown): string {
  if (drilldown.kind === "closedTrade") return "One closed trade";
  if (drilldown.kind === "result") return drilldown.result === "win" ? "Winners" : "Losers";
  if (drilldown.kind === "day") return date(drilldown.day);
  if (drilldown.kind === "range") return rangeName(drilldown.measure, drilldown.range);
  if (drilldown.kind === "group") return groupName(drilldown.by, drilldown.key);
  return "";
}

/** Describes the filters except the period: "Zerodha, Options, NIFTY". */
export function filterText(filters: Filters): string {
  const { broker, ...account } = brokerFilterQuery(filters.broker);
  return [
    broker && brokerAccountName({ broker, ...account }),
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
