import { expect, it } from "vitest";
import {
  addLeg,
  applyTemplate,
  changeLeg,
  changeLots,
  legExpiry,
  MAX_LEGS,
  newStrategy,
  nextStrategy,
  removeLeg,
  type StrategyFields,
} from "./strategy-fields.ts";
import { isTemplateName, TEMPLATE_OPTIONS, type TemplateName } from "./templates.ts";

/** Lists the legs as "sell 26200 CE", with the ratio if it is not 1. */
function listLegs({ legs }: StrategyFields): string[] {
  return legs.map(({ side, strike, kind, ratio }) =>
    [side, strike, kind, ratio === "1" ? "" : `×${ratio}`].filter(Boolean).join(" "),
  );
}

const strategy = (template: TemplateName) => applyTemplate(newStrategy("zerodha"), template);

it.each([
  ["shortStraddle", ["sell CE", "sell PE"]],
  ["longStrangle", ["buy PE", "buy CE"]],
  ["bullCallSpread", ["buy CE", "sell CE"]],
  ["bearCallSpread", ["sell CE", "buy CE"]],
  ["bullPutSpread", ["buy PE", "sell PE"]],
  ["bearPutSpread", ["sell PE", "buy PE"]],
  ["ironCondor", ["buy PE", "sell PE", "sell CE", "buy CE"]],
  ["butterfly", ["buy CE", "sell CE ×2", "buy CE"]],
  ["callRatio", ["buy CE", "sell CE ×2"]],
  ["callCalendar", ["sell CE", "buy CE"]],
  ["longSynthetic", ["buy CE", "sell PE"]],
] as const)("%s has the legs %j", (template, legs) => {
  expect(listLegs(strategy(template))).toEqual(legs);
});

it("offers every template", () => {
  expect(TEMPLATE_OPTIONS.every(({ value }) => isTemplateName(value))).toBe(true);
  expect(isTemplateName("toString")).toBe(false);
});

it("fills the strike of all legs that share it", () => {
  const butterfly = changeLeg(strategy("ironButterfly"), 1, { strike: "26000" });
  expect(listLegs(butterfly)).toEqual(["buy PE", "sell 26000 PE", "sell 26000 CE", "buy CE"]);
  const calendar = changeLeg(strategy("putCalendar"), 1, { strike: "26000" });
  expect(calendar.legs.map(({ strike }) => strike)).toEqual(["26000", "26000"]);
});

it("keeps the strikes and prices of legs of the same side and kind when the template changes", () => {
  let fields = strategy("shortStraddle");
  fields = changeLeg(fields, 0, { strike: "26000", entryPrice: "120" });
  fields = changeLeg(fields, 1, { entryPrice: "110" });
  const condor = applyTemplate(fields, "ironCondor");
  expect(condor.legs.map(({ strike, entryPrice }) => [strike, entryPrice])).toEqual([
    ["", ""],
    ["26000", "110"],
    ["26000", "120"],
    ["", ""],
  ]);
});

it("starts a custom strategy from the legs of the last template, with their expiry", () => {
  const condor = { ...strategy("ironCondor"), expiry: "2026-12-29" };
  const custom = applyTemplate(condor, "custom");
  expect(custom.legs.map(({ id, expiry }) => [id, expiry])).toEqual(
    condor.legs.map(({ id }) => [id, "2026-12-29"]),
  );
  const longer = addLeg(removeLeg(custom, 0));
  expect(listLegs(longer)).toEqual(["sell PE", "sell CE", "buy CE", "buy CE"]);
  expect(longer.legs.at(-1)?.expiry).toBe("2026-12-29");
  let full = longer;
  for (let count = 0; count < 10; count += 1) full = addLeg(full);
  expect(full.legs).toHaveLength(MAX_LEGS);
});

it("does not copy a strike to other legs of a custom strategy", () => {
  const custom = changeLeg(applyTemplate(strategy("shortStraddle"), "custom"), 0, { strike: "26000" });
  expect(custom.legs.map(({ strike }) => strike)).toEqual(["26000", ""]);
});

it("gives the legs of a calendar spread an expiry each", () => {
  const calendar = applyTemplate({ ...strategy("ironCondor"), expiry: "2026-12-29" }, "callCalendar");
  expect(calendar.legs.map((leg) => legExpiry(calendar, leg))).toEqual(["2026-12-29", ""]);
  const straddle = applyTemplate({ ...calendar, expiry: "" }, "longStraddle");
  expect(straddle.expiry).toBe("2026-12-29");
});

it("calculates the quantity from the lots and their size, until one of them is invalid", () => {
  const typed = { ...strategy("ironCondor"), quantity: "50" };
  const sized = changeLots(typed, { lotSize: "65" });
  expect(sized.quantity).toBe("50");
  const lots = changeLots(sized, { lots: "2" });
  expect(lots.quantity).toBe("130");
  expect(changeLots(lots, { underlying: "SENSEX", lotSize: "20" }).quantity).toBe("40");
  expect(changeLots(lots, { lotSize: "" }).quantity).toBe("");
  expect(changeLots(lots, { lots: "1.5" }).quantity).toBe("");
  expect(changeLots(lots, { lots: "" }).quantity).toBe("130");
});

it("keeps the template, underlying, expiry and times for the next strategy", () => {
  const filled = changeLeg(
    {
      ...strategy("shortStraddle"),
      underlying: "NIFTY",
      expiry: "2026-12-29",
      lots: "1",
      lotSize: "65",
      quantity: "65",
      openedAt: "2026-11-12T10:30",
    },
    0,
    { strike: "26000", entryPrice: "120" },
  );
  const next = nextStrategy(filled);
  expect(next).toMatchObject({
    template: "shortStraddle",
    account: "zerodha",
    underlying: "NIFTY",
    expiry: "2026-12-29",
    lots: "",
    lotSize: "65",
    quantity: "",
    openedAt: "2026-11-12T10:30",
  });
  expect(next.legs.map(({ strike, entryPrice }) => strike + entryPrice)).toEqual(["", ""]);
  expect(next.legs.some(({ id }) => filled.legs.some((leg) => leg.id === id))).toBe(false);
});
