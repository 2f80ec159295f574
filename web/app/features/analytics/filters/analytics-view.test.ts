import { describe, expect, test } from "vitest";
import {
  countFilters,
  drilldownName,
  drilldownQuery,
  figuresQuery,
  filterQuery,
  filterText,
  NO_FILTERS,
  parseDrilldown,
  parseFilters,
  unitName,
  writeDrilldown,
  writeFilters,
} from "#features/analytics/filters/analytics-view.ts";
import { groupName } from "#features/analytics/filters/groupings.ts";

const FULL = {
  from: "2025-04-01",
  to: "2026-03-31",
  broker: "zerodha",
  segment: "options",
  symbol: "M&M",
  side: "short",
  unit: "closedTrades",
} as const;

const { unit: _, ...CONDITIONS } = FULL;

const parse = (search: string) => new URLSearchParams(search);

describe("the filters in the address", () => {
  test("are parsed as they were written, and leave other parameters unchanged", () => {
    const params = writeFilters(parse("x=1"), FULL);
    expect(params.get("x")).toBe("1");
    expect(parseFilters(parse(params.toString()))).toEqual(FULL);
    expect(writeFilters(params, NO_FILTERS).toString()).toBe("x=1");
  });

  test.each([
    "from=yesterday",
    "to=2025-02-30",
    "broker=robinhood",
    "segment=crypto",
    "side=up",
    "symbol=%20",
  ])("are ignored if invalid: %s", (search) => expect(parseFilters(parse(search))).toEqual(NO_FILTERS));

  test("drop the end of a period that ends before it begins", () => {
    expect(parseFilters(parse("from=2025-02-01&to=2025-01-01"))).toMatchObject({
      from: "2025-02-01",
      to: "",
    });
  });

  test("are counted, the period once, and described", () => {
    expect([countFilters(NO_FILTERS), countFilters(FULL)]).toEqual([0, 5]);
    expect(filterText(FULL)).toBe("Zerodha, Options, M&M, Short");
    expect(filterText(NO_FILTERS)).toBe("");
  });

  test("are sent only if set", () => {
    expect(filterQuery({ ...NO_FILTERS, side: "long" })).toEqual({ side: "long" });
    expect(filterQuery(FULL)).toEqual(CONDITIONS);
    expect(figuresQuery(NO_FILTERS)).toEqual({ unit: "positions" });
    expect(figuresQuery(FULL)).toEqual(FULL);
  });

  test.each([
    ["", "", "positions", "position"],
    ["unit=positions", "", "positions", "position"],
    ["unit=lots", "", "positions", "position"],
    ["unit=closedTrades", "closedTrades", "closedTrades", "closed trade"],
    ["unit=strategies", "strategies", "strategies", "strategy"],
  ] as const)("name the unit of the figures: %s", (search, unit, sent, name) => {
    const filters = parseFilters(parse(search));
    expect(filters).toEqual({ ...NO_FILTERS, unit });
    expect(figuresQuery(filters)).toEqual({ unit: sent });
    expect(unitName(filters)).toBe(name);
    expect(writeFilters(parse(""), filters).get("unit") ?? "").toBe(unit);
  });
});

describe("the drill-down of a figure", () => {
  test.each([
    [{ kind: "result", result: "loss" }, { result: "loss" }, "Losers"],
    [{ kind: "day", day: "2025-06-12" }, { from: "2025-06-12", to: "2025-06-12" }, "12 Jun 2025"],
    [{ kind: "group", by: "weekday", key: "3" }, { by: "weekday", key: "3" }, "Wednesday"],
    [
      { kind: "group", by: "weekdayHour", key: "3-09" },
      { by: "weekdayHour", key: "3-09" },
      "Wednesdays from 9 to 10 am",
    ],
    [
      { kind: "range", measure: "net", range: { from: 500, to: 1000 } },
      { net: "500..1000" },
      "₹500 to ₹1,000",
    ],
    [{ kind: "range", measure: "r", range: { from: null, to: -3 } }, { r: "..-3" }, "Below −3.00R"],
    [{ kind: "closedTrade", id: "276f" }, { id: "276f" }, "One closed trade"],
    [{ kind: "all" }, {}, ""],
  ] as const)("%o", (drilldown, query, name) => {
    const params = writeDrilldown(parse("result=win&by=hour&key=09&day=2020-01-01"), drilldown);
    expect(parseDrilldown(parse(params.toString()))).toEqual(drilldown);
    expect(drilldownQuery(NO_FILTERS, drilldown)).toEqual(query);
    expect(drilldownName(drilldown)).toBe(name);
  });

  test("limits the list within the filters", () => {
    expect(drilldownQuery(FULL, { kind: "day", day: "2025-06-12" })).toEqual({
      ...CONDITIONS,
      from: "2025-06-12",
      to: "2025-06-12",
    });
  });

  test("keeps the unit in the address, but the list ignores it", () => {
    const params = writeDrilldown(parse("unit=strategies"), { kind: "result", result: "win" });
    expect(params.toString()).toBe("unit=strategies&result=win");
    expect(drilldownQuery(parseFilters(params), parseDrilldown(params))).toEqual({ result: "win" });
  });

  test("is removed when the filters change", () => {
    expect(writeFilters(parse("day=2025-06-12"), { ...NO_FILTERS, side: "long" }).toString()).toBe(
      "side=long",
    );
  });

  test("is ignored if invalid", () => {
    for (const search of [
      "by=weekday",
      "by=mood&key=1",
      "result=draw",
      "day=12",
      "net=..",
      "r=1..x",
      "closedTrade=a%20b",
    ])
      expect(parseDrilldown(parse(search))).toEqual({ kind: "all" });
  });
});

test.each([
  ["weekday", "7", "Sunday"],
  ["hour", "09", "9 to 10 am"],
  ["hour", "11", "11 am to 12 pm"],
  ["hour", "12", "12 to 1 pm"],
  ["hour", "23", "11 pm to 12 am"],
  ["month", "2026-03", "March 2026"],
  ["holding", "minutes", "Up to 5 minutes"],
  ["daysToExpiry", "over30", "Over 30 days"],
  ["instrument", "CE", "Calls (CE)"],
  ["symbol", "NIFTY", "NIFTY"],
  ["psychology", "toString", "toString"],
] as const)("names the group %s %s %s", (by, key, name) => expect(groupName(by, key)).toBe(name));
