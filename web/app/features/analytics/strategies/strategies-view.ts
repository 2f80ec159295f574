import { weekdayName } from "#features/analytics/filters/groupings.ts";
import { capitalize, isShape, STATES, shapeName } from "#features/analytics/strategies/strategy-names.ts";
import type { Schemas } from "#lib/api.ts";
import type { paths } from "#lib/api-schema.d.ts";
import { type BrokerFilter, brokerFilterQuery, parseBrokerFilter } from "#lib/books.ts";
import { count, plural } from "#lib/format.ts";
import { parseDate } from "#lib/period.ts";

export type StrategyGrouping =
  paths["/analytics/strategy-statistics"]["get"]["parameters"]["query"]["groupBy"];

/** Filters of the list and the statistics; an empty string means no filter. */
export type StrategyFilters = {
  shape: Schemas["StrategyShape"] | "";
  state: Schemas["StrategyState"] | "";
  /** Account with a broker. */
  broker: BrokerFilter;
  /** Underlying. */
  symbol: string;
  /** First and last day of opening in India. */
  from: string;
  to: string;
};

/** Address parameter that shows the review of ambiguous strategies in place of the list. */
export const REVIEW = { key: "review", value: "groupings" } as const;

const KEYS = ["shape", "state", "broker", "symbol", "from", "to"] as const;

export const STRATEGY_GROUPINGS: readonly { value: StrategyGrouping; label: string }[] = [
  { value: "shape", label: "Shape" },
  { value: "underlying", label: "Underlying" },
  { value: "daysToExpiryAtEntry", label: "Days to expiry at entry" },
  { value: "daysToExpiryAtExit", label: "Days to expiry at exit" },
  { value: "weekday", label: "Weekday" },
  { value: "width", label: "Width" },
  { value: "adjusted", label: "Adjusted" },
  { value: "risk", label: "Risk" },
];

/** Parses the filters of an address; ignores invalid values. */
export function parseStrategyFilters(params: URLSearchParams): StrategyFilters {
  const shape = params.get("shape") ?? "";
  const [from, to] = [parseDate(params.get("from")), parseDate(params.get("to"))];
  return {
    shape: isShape(shape) ? shape : "",
    state: STATES.find(({ value }) => value === params.get("state"))?.value ?? "",
    broker: parseBrokerFilter(params.get("broker")),
    symbol: (params.get("symbol") ?? "").trim().slice(0, 64),
    from,
    to: from && to && to < from ? "" : to,
  };
}

/** Returns the parameters with some of the filters changed. */
export function writeStrategyFilters(
  params: URLSearchParams,
  changes: Partial<StrategyFilters>,
): URLSearchParams {
  const next = new URLSearchParams(params);
  for (const key of KEYS) {
    const value = changes[key];
    if (value) next.set(key, value);
    else if (value === "") next.delete(key);
  }
  return next;
}

export const NO_STRATEGY_FILTERS: StrategyFilters = {
  shape: "",
  state: "",
  broker: "",
  symbol: "",
  from: "",
  to: "",
};

/** Returns the request parameters of the filters. */
export function strategyQuery({ shape, state, broker, symbol, from, to }: StrategyFilters) {
  return {
    ...(shape && { shape }),
    ...(state && { state }),
    ...brokerFilterQuery(broker),
    ...(symbol && { symbol }),
    ...(from && { from }),
    ...(to && { to }),
  };
}

const NAMES_OF_KEYS: Readonly<Record<string, string>> = {
  yes: "Adjusted",
  no: "Not adjusted",
  defined: "Defined risk",
  undefined: "Undefined risk",
};

/** Returns the name of a group: "Iron condor", "Expiry day", "100 points wide". */
export function strategyGroupName(by: StrategyGrouping, key: string): string {
  if (by === "shape") return isShape(key) ? capitalize(shapeName(key)) : key;
  if (by === "weekday") return weekdayName(Number(key));
  if (by === "width") return `${count(Number(key))} points wide`;
  if (by === "daysToExpiryAtEntry" || by === "daysToExpiryAtExit")
    return key === "0" ? "Expiry day" : plural(Number(key), "day");
  return by === "underlying" ? key : (NAMES_OF_KEYS[key] ?? key);
}
