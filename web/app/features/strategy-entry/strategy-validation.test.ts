import { expect, it } from "vitest";
import { applyTemplate, changeLeg, newStrategy, type StrategyFields } from "./strategy-fields.ts";
import { validateStrategy } from "./strategy-validation.ts";
import type { TemplateName } from "./templates.ts";

const NOW = Date.parse("2026-11-27T12:00:00+05:30");

/** Returns a valid strategy of December with these strikes. */
function strategy(template: TemplateName, strikes: readonly string[]): StrategyFields {
  const base = {
    ...newStrategy("zerodha"),
    underlying: "nifty",
    expiry: "2026-12-29",
    quantity: "65",
    openedAt: "2026-11-12T10:30",
  };
  return strikes.reduce(
    (fields, strike, index) =>
      changeLeg(fields, index, {
        strike,
        entryPrice: "10.5",
        expiry: index === 0 ? "2026-12-08" : "2026-12-29",
      }),
    applyTemplate(base, template),
  );
}

const errorsOf = (fields: StrategyFields) => Object.fromEntries(validateStrategy(fields, NOW));
const SPREAD = strategy("bullCallSpread", ["26000", "26200"]);
const closed = (prices: readonly string[], closedAt = "2026-11-20T14:50") =>
  prices.reduce((fields, exitPrice, index) => changeLeg(fields, index, { exitPrice }), {
    ...SPREAD,
    closedAt,
  });

it.each([
  ["bullCallSpread", ["26000", "26200"]],
  ["shortStraddle", ["26000", "26000"]],
  ["ironCondor", ["25300", "25500", "26200", "26400"]],
  ["ironButterfly", ["25500", "26000", "26000", "26400"]],
  ["callCalendar", ["26000", "26000"]],
] as const)("accepts a valid %s", (template, strikes) => {
  expect(errorsOf(strategy(template, strikes))).toEqual({});
});

it("says what is wrong with the lots, and rejects a part of a lot", () => {
  const quantityError = (change: Partial<StrategyFields>) => errorsOf({ ...SPREAD, ...change }).quantity;
  expect(quantityError({ lots: "1.5", lotSize: "65", quantity: "" })).toBe(
    "Enter the number of lots as a whole number, such as 2.",
  );
  expect(quantityError({ lots: "2", lotSize: "", quantity: "" })).toBe(
    "Enter the lot size as a whole number, such as 65.",
  );
  expect(quantityError({ lots: "", lotSize: "65", quantity: "66" })).toBe(
    "Enter a multiple of the lot size of 65, or change the lot size.",
  );
  expect(quantityError({ lots: "", lotSize: "65", quantity: "130" })).toBeUndefined();
  expect(quantityError({ lots: "", lotSize: "", quantity: "66" })).toBeUndefined();
});

it("lists all missing fields in the order of the page", () => {
  const fields = applyTemplate(newStrategy("zerodha"), "bullCallSpread");
  expect(Array.from(validateStrategy(fields, NOW))).toEqual([
    ["underlying", "Enter the underlying."],
    ["expiry", "Enter the expiry."],
    ["quantity", "Enter the quantity."],
    ["openedAt", "Enter the opening date and time."],
    ["leg-0-strike", "Enter the strike."],
    ["leg-0-entryPrice", "Enter the price."],
    ["leg-1-strike", "Enter the strike."],
    ["leg-1-entryPrice", "Enter the price."],
  ]);
});

it.each([
  ["0", "Enter a strike above 0."],
  ["1e3", "Enter the strike as a number, such as 24500."],
  ["1.00001", "Use at most 4 decimals."],
  ["1000000000", "Enter a strike below ₹1,00,00,00,000."],
])("rejects the strike %s", (strike, message) => {
  expect(errorsOf(changeLeg(SPREAD, 0, { strike }))["leg-0-strike"]).toBe(message);
});

it.each([
  ["bullCallSpread", ["26200", "26000"], "leg-1-strike", "Enter a strike above 26,200, that of leg 1."],
  ["bearPutSpread", ["26000", "26000"], "leg-1-strike", "Enter a strike above 26,000, that of leg 1."],
  [
    "ironCondor",
    ["25300", "25500", "25400", "26400"],
    "leg-2-strike",
    "Enter a strike above 25,500, that of leg 2.",
  ],
  ["putRatio", ["26000", "25800"], "leg-1-strike", "Enter a strike above 26,000, that of leg 1."],
] as const)("rejects the strikes of a %s in the wrong order", (template, strikes, field, message) => {
  expect(errorsOf(strategy(template, strikes))).toEqual({ [field]: message });
});

it("rejects the body of a butterfly below its wing at both legs", () => {
  expect(errorsOf(strategy("ironButterfly", ["26000", "25500", "25500", "26400"]))).toEqual({
    "leg-1-strike": "Enter a strike above 26,000, that of leg 1.",
    "leg-2-strike": "Enter a strike above 26,000, that of leg 1.",
  });
});

it("requires the closing time and at least one exit price together", () => {
  expect(errorsOf(closed(["1", "2"]))).toEqual({});
  expect(errorsOf(closed(["1", ""]))).toEqual({});
  expect(errorsOf(closed(["", " "]))).toEqual({
    closedAt: "Enter at least one exit price, or clear the closing time.",
  });
  expect(errorsOf(closed(["1", ""], ""))).toEqual({
    closedAt: "Enter the closing date and time, or clear the exit prices.",
  });
  expect(errorsOf(closed(["0", "2"]))).toEqual({ "leg-0-exitPrice": "Enter a price above 0." });
});

it("rejects times in the wrong order or in the future", () => {
  expect(errorsOf(closed(["1", "2"], "2026-11-12T10:30"))).toEqual({
    closedAt: "The closing time must be after the opening time.",
  });
  expect(errorsOf(closed(["1", "2"], "2026-11-27T12:01"))).toEqual({
    closedAt: "This time is in the future.",
  });
  expect(errorsOf({ ...SPREAD, openedAt: "2026-11-27T12:01" })).toEqual({
    openedAt: "This time is in the future.",
  });
});

it("rejects an expiry before the trades, and a weekly contract long before its expiry", () => {
  expect(errorsOf({ ...SPREAD, expiry: "2026-11-10" })).toEqual({
    expiry: "This expiry is before the opening date.",
  });
  expect(errorsOf({ ...closed(["1", "2"]), expiry: "2026-11-17" })).toEqual({
    expiry: "This expiry is before the closing date.",
  });
  expect(errorsOf({ ...SPREAD, openedAt: "2026-07-01T10:30", expiry: "2026-12-08" })).toEqual({
    expiry: "A weekly contract is not traded so long before its expiry. Check both dates.",
  });
});

it("rejects an expiry on a weekend", () => {
  const error = { expiry: "Contracts do not expire on a weekend." };
  expect(errorsOf({ ...SPREAD, expiry: "2026-12-05" })).toEqual(error);
  expect(errorsOf({ ...SPREAD, expiry: "2027-01-03" })).toEqual(error);
});

it("accepts a weekday on which no contract expires, because the lists may be incomplete", () => {
  expect(errorsOf({ ...SPREAD, expiry: "2026-12-02" })).toEqual({});
});

it("accepts a leg that expired before the others were closed", () => {
  const open = { ...strategy("callCalendar", ["26000", "26000"]), closedAt: "2026-11-26T14:50" };
  const calendar = changeLeg(changeLeg(open, 0, { expiry: "2026-11-23" }), 1, { exitPrice: "12" });
  expect(errorsOf(calendar)).toEqual({});
  expect(errorsOf(changeLeg(calendar, 0, { exitPrice: "1" }))).toEqual({
    "leg-0-expiry": "This expiry is before the closing date.",
  });
});

it("requires a later expiry for the last leg of a calendar spread", () => {
  const calendar = strategy("callCalendar", ["26000", "26000"]);
  expect(errorsOf(changeLeg(calendar, 1, { expiry: "2026-12-08" }))).toEqual({
    "leg-1-expiry": "Enter an expiry after 8 Dec 2026, that of leg 1.",
  });
  expect(errorsOf(changeLeg(calendar, 0, { expiry: "" }))).toEqual({ "leg-0-expiry": "Enter the expiry." });
});

it("rejects quantities and ratios that are not whole", () => {
  expect(errorsOf({ ...SPREAD, quantity: "1.5" })).toEqual({
    quantity: "Enter a whole quantity, such as 50.",
  });
  expect(errorsOf({ ...SPREAD, quantity: "0" })).toEqual({ quantity: "Enter a quantity above 0." });
  const ratio = strategy("callRatio", ["26000", "26200"]);
  expect(errorsOf(changeLeg(ratio, 1, { ratio: "1.5" }))).toEqual({
    "leg-1-ratio": "Enter a whole number, such as 2.",
  });
  expect(errorsOf({ ...ratio, quantity: "600000000" })).toEqual({
    "leg-1-ratio": "The quantity of this leg is too large.",
  });
});

it("rejects two legs of a custom strategy with the same contract", () => {
  const custom = applyTemplate(SPREAD, "custom");
  const doubled = changeLeg(custom, 1, { strike: "26000", expiry: custom.legs[0]?.expiry ?? "" });
  expect(errorsOf(doubled)).toEqual({ "leg-1-strike": "Leg 1 is the same contract." });
});

it("rejects an underlying that is no name", () => {
  expect(errorsOf({ ...SPREAD, underlying: "NIFTY 50" })).toEqual({
    underlying: "Enter the underlying as the exchange writes it, such as NIFTY.",
  });
});
