import { expect, it } from "vitest";
import { isUnderlying, optionSymbol, symbolUnderlying } from "#lib/option-symbol.ts";

it.each([
  ["the last Tuesday of a month", "NIFTY", "2026-12-29", "NIFTY26DEC24500CE"],
  ["a monthly expiry on the day before a holiday", "NIFTY", "2026-11-23", "NIFTY26NOV24500CE"],
  ["the last Thursday on BSE", "SENSEX", "2026-11-26", "SENSEX26NOV24500CE"],
  ["a stock, which has monthly contracts only", "M&M", "2026-12-15", "M&M26DEC24500CE"],
  ["a weekly expiry", "NIFTY", "2026-12-08", "NIFTY26D0824500CE"],
  ["a weekly expiry in a month with one digit", "NIFTY", "2027-01-05", "NIFTY2710524500CE"],
  ["a Monday before a weekly expiry, eight days before the end", "NIFTY", "2026-03-23", "NIFTY2632324500CE"],
  [
    "a Wednesday of BANKNIFTY, whose monthly contract expired before",
    "BANKNIFTY",
    "2024-01-31",
    "BANKNIFTY2413124500CE",
  ],
  [
    "a monthly expiry before a holiday, a week before the end",
    "BANKNIFTY",
    "2024-12-24",
    "BANKNIFTY24DEC24500CE",
  ],
  ["a day before the monthly expiry, if holidays are unknown", "NIFTY", "2027-01-25", "NIFTY27JAN24500CE"],
  ["an index without weekly contracts now", "BANKNIFTY", "2026-12-29", "BANKNIFTY26DEC24500CE"],
  ["a day of unknown rules in the last week", "SENSEX", "2023-04-27", "SENSEX23APR24500CE"],
  ["a day of unknown rules before the last week", "SENSEX", "2023-04-20", "SENSEX2342024500CE"],
  ["a weekly expiry moved to the end of the month before", "NIFTY", "2026-11-30", "NIFTY26N3024500CE"],
])("builds the symbol of %s", (_, underlying, expiry, symbol) => {
  expect(optionSymbol({ underlying, expiry, strike: 24_500, kind: "CE" }, expiry)).toBe(symbol);
});

it("keeps the decimals of a strike", () => {
  const option = { underlying: "IDEA", expiry: "2026-12-29", strike: 12.5, kind: "PE" } as const;
  expect(optionSymbol(option, "2026-12-01")).toBe("IDEA26DEC12.5PE");
});

it("builds no symbol of a weekly contract more than 120 days before its expiry", () => {
  const option = { underlying: "NIFTY", expiry: "2026-12-08", strike: 24_500, kind: "CE" } as const;
  expect(optionSymbol(option, "2026-08-10")).toBe("NIFTY26D0824500CE");
  expect(optionSymbol(option, "2026-08-09")).toBeUndefined();
  expect(optionSymbol({ ...option, expiry: "2026-12-29" }, "2026-01-02")).toBe("NIFTY26DEC24500CE");
});

it.each([
  ["NIFTY26DEC24500CE", "NIFTY"],
  ["NIFTY2560524750PE", "NIFTY"],
  ["NIFTYNXT5026D2965000CE", "NIFTYNXT50"],
  ["BANKNIFTY24FEBFUT", "BANKNIFTY"],
  ["IDEA26JAN12.5PE", "IDEA"],
  ["RELIANCE", "RELIANCE"],
])("finds the underlying of %s", (symbol, underlying) => {
  expect(symbolUnderlying(symbol)).toBe(underlying);
});

it("rejects names that are no underlying", () => {
  expect(["M&M", "BAJAJ-AUTO", "360ONE"].every(isUnderlying)).toBe(true);
  expect(["", "nifty", "NIFTY 50", "24500"].some(isUnderlying)).toBe(false);
});
