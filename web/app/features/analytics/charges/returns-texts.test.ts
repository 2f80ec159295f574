import { expect, test } from "vitest";
import {
  basisNotes,
  missingText,
  needsPeriodReturn,
  periodReturnText,
  returnsTitle,
  timeWeightedText,
  totalNotes,
  xirrText,
} from "#features/analytics/charges/returns-texts.ts";
import type { Schemas } from "#lib/api.ts";

const RETURNS: Schemas["CapitalReturns"] = {
  from: "2025-04-01",
  to: "2026-03-31",
  days: 364,
  startValue: 0,
  deposits: 1000,
  withdrawals: 0,
  transfers: 0,
  invested: 1000,
  endValue: 1100,
  gain: 100,
  periodReturn: 0.1,
  periodReturnStatus: "computed",
  xirr: 0.1003,
  xirrStatus: "computed",
  timeWeighted: 0.1,
  timeWeightedStatus: "computed",
  timeWeightedAnnual: null,
  approximate: false,
};

const BASIS: Schemas["CapitalBasis"] = {
  ledgerFrom: "2025-04-01",
  ledgerTo: "2026-03-31",
  ledgerCash: 1100,
  tradeAfterLedger: null,
  openPositions: 0,
  positionsAtCost: 0,
  symbolsWithoutPrice: [],
  bonusWithoutCost: [],
  gaps: [],
  startAtCost: false,
  difference: 0,
};

test("the title states the rate per year, or else the return of the period", () => {
  expect(returnsTitle(RETURNS)).toBe("Returns on capital: +10.03% a year");
  expect(returnsTitle({ ...RETURNS, xirr: null, periodReturn: -0.5 })).toBe(
    "Returns on capital: −50.00% in this period",
  );
  expect(returnsTitle({ ...RETURNS, xirr: null, periodReturn: null })).toBe("Returns on capital");
  expect(returnsTitle(null)).toBe("Returns on capital");
});

test("the return of the period is shown for less than a year, or without a rate per year", () => {
  expect(needsPeriodReturn(RETURNS)).toBe(true);
  expect(needsPeriodReturn({ ...RETURNS, days: 365 })).toBe(false);
  expect(needsPeriodReturn({ ...RETURNS, days: 365, xirr: null })).toBe(true);
});

test("a missing XIRR has its reason", () => {
  expect(xirrText(RETURNS)).toBe("");
  expect(xirrText({ ...RETURNS, days: 1, xirrStatus: "shortPeriod" })).toBe(
    "A rate per year needs 90 days with at least ₹100 and 1% of your highest capital",
  );
});

test("a missing time-weighted return has its reason", () => {
  expect(timeWeightedText(RETURNS)).toBe("");
  for (const timeWeightedStatus of [
    "noCapital",
    "resultWithoutCapital",
    "belowZero",
    "unknownValue",
  ] as const)
    expect(timeWeightedText({ ...RETURNS, timeWeightedStatus })).not.toBe("");
});

test("a missing return of the period has its reason", () => {
  expect(periodReturnText(RETURNS)).toBe("");
  expect(periodReturnText({ ...RETURNS, periodReturnStatus: "noCapital" })).toContain("₹100");
  expect(periodReturnText({ ...RETURNS, periodReturnStatus: "smallAverage" })).toContain("too small");
});

test.each([
  [{ kind: "ledger" }, "Import the ledger of this account."],
  [
    { kind: "ledgerEntries", from: "2026-05-31", to: "2026-06-04", difference: -150.5 },
    "Entries between 31 May 2026 and 4 Jun 2026 are missing: the balance changes by ₹150.50. Import the ledger of these days, or choose a period from 4 Jun 2026.",
  ],
  [
    { kind: "ledgerOfPeriod", from: "2026-04-01", to: "2026-05-04" },
    "The ledger covers 1 Apr to 4 May 2026. Import the ledger of the chosen period.",
  ],
  [{ kind: "costBasis", count: 1 }, "1 sell has no buy price. Enter it, or import the older trades."],
  [{ kind: "settlements", count: 2 }, "2 expired contracts have no settlement price. Enter it."],
  [
    { kind: "trades", difference: 984, from: "2026-04-07", to: "2026-04-09" },
    "The settlements of the ledger and your trades differ by ₹984.00 (7 to 9 Apr 2026). Import all equity and F&O tradebooks of this account, from at least three trading days before the ledger. Commodity and currency trades cannot be imported: with them in the ledger, there are no returns.",
  ],
] as const)("says what is missing and how to supply it: %o", (missing, text) => {
  const advice = missingText({ difference: null, ...missing }, { broker: "zerodha" });
  expect(advice.text).toBe(text);
  expect(advice.link).toBeDefined();
});

test("names entries of an unknown kind", () => {
  const entries = [{ day: "2026-04-20", text: "Fund transfer", amount: -500.5 }];
  const missing = { kind: "unknownEntries", difference: null, entries } as const;
  expect(missingText({ ...missing, count: 1 }, { broker: "zerodha" }).text).toBe(
    "1 entry of the ledger is not recognised: 20 Apr 2026 “Fund transfer” −\u2060₹500.50. We cannot tell a payment from a result, and the kind cannot be set yet. Choose a period without it.",
  );
  expect(missingText({ ...missing, count: 2 }, { broker: "zerodha" }).text).toContain("and others");
});

test("reasons name the day and a period that has returns", () => {
  const text = (kind: Schemas["MissingCapitalInput"]["kind"], from?: string, to?: string) =>
    missingText(
      { kind, difference: null, day: "2026-04-08", count: 1, ...(from && to && { from, to }) },
      { broker: "groww" },
    ).text;
  expect(text("openFutures", "2026-04-17", "2026-05-29")).toContain(
    "Choose the period 17 Apr to 29 May 2026.",
  );
  expect(text("openFutures")).toContain("Choose a period without open futures at its ends.");
  expect(text("unsettledTrades")).toContain("until 8 Apr 2026");
  expect(text("blockedMargin")).toContain("begins on 8 Apr 2026");
  expect(text("reducedCost")).toContain(
    "the cash part of a merger, or a contract adjustment reduced the cost of 1 holding.",
  );
});

test("a day inside the ledger needs another period, not a longer ledger", () => {
  const missing = { kind: "unsettledTrades", difference: null, day: "2026-06-01" } as const;
  expect(missingText({ ...missing, insideLedger: true }, { broker: "zerodha" })).toEqual({
    text: "The ledger does not show which trades until 1 Jun 2026 it has settled. Choose a period that begins or ends a week earlier or later.",
  });
  const { text } = missingText(missing, { broker: "zerodha" });
  expect(text).toContain("Import a ledger that begins earlier");
  expect(text).toContain("If it posted a settlement some days late, choose a period");
});

test("a broker without an importable ledger asks for none", () => {
  const advice = missingText({ kind: "ledger", difference: null }, { broker: "upstox" });
  expect(advice).toEqual({ text: "Ledgers of this broker cannot be imported yet." });
});

test("notes say where the period of the figures is not the chosen one", () => {
  const notes = (from?: string, to?: string) =>
    basisNotes({ broker: "zerodha", returns: RETURNS, basis: BASIS, missing: null }, { from, to }).map(
      ({ text }) => text,
    );
  expect(notes("2025-04-01", "2026-03-31")).toEqual([]);
  expect(notes("2025-01-01", "2026-06-30")).toEqual([
    "The figures begin on 1 Apr 2025, the first day of the ledger, and not on 1 Jan 2025.",
    "The figures end on 31 Mar 2026, the last day of the ledger, and not on 30 Jun 2026.",
  ]);
  expect(notes()).toEqual(["The figures end on 31 Mar 2026, the last day of the ledger."]);
});

test("notes name positions without a price, approximations and a ledger that ends early", () => {
  const notes = (basis: Partial<Schemas["CapitalBasis"]>, approximate = false) =>
    basisNotes({
      broker: "zerodha",
      returns: { ...RETURNS, to: "2026-03-30", approximate },
      basis: { ...BASIS, ...basis },
      missing: null,
    }).map(({ text }) => text);
  expect(notes({})).toEqual([]);
  expect(notes({ positionsAtCost: 1, symbolsWithoutPrice: ["RELIANCE"] })).toEqual([
    "Counted at cost: RELIANCE. Type a price of 30 Mar 2026 to value it.",
  ]);
  expect(notes({ positionsAtCost: 3, symbolsWithoutPrice: ["INFY", "TCS"] })).toEqual([
    "Counted at cost: INFY, TCS and others. Type a price of 30 Mar 2026 to value them.",
  ]);
  expect(notes({ positionsAtCost: 1, startAtCost: true, tradeAfterLedger: "2026-04-20" }, true)).toEqual([
    "1 position was open on 30 Mar 2026 and counts at cost.",
    "Positions that were open at the start count at cost, at the end too: typed prices do not apply to them. If you sold them, the gain contains what they had gained before the period.",
    "The time-weighted return is approximate: open positions counted at cost.",
    "The ledger ends on 31 Mar 2026, and the last trade is of 20 Apr 2026. Import a newer ledger.",
  ]);
  expect(notes({ bonusWithoutCost: ["INFY", "WIPRO"] })).toEqual([
    "Bonus shares of INFY, WIPRO count at ₹0: the cost belongs to the older shares, and some of these were sold. So the gain is too low while you hold the bonus shares, and too high in a period in which you sell them.",
  ]);
  const gaps = [
    { from: "2025-05-02", to: "2025-06-30" },
    { from: "2026-01-01", to: "2026-01-09" },
  ];
  expect(notes({ gaps })).toEqual([
    "No imported ledger has entries of 2 May to 30 Jun 2025, 1 to 9 Jan 2026. The balance is the same before and after, so the figures assume that there were none.",
  ]);
  expect(notes({ difference: -12.5 })).toEqual([
    "The settlements of the ledger and your trades differ by −\u2060₹12.50. The reason can be charges that we estimated, or a small trade that is missing. The gain includes this amount.",
  ]);
  const [end] = basisNotes({ broker: "zerodha", returns: RETURNS, basis: BASIS, missing: null });
  expect(end?.text).toBe("The figures end on 31 Mar 2026, the last day of the ledger.");
  expect(basisNotes({ broker: "zerodha", returns: null, basis: null, missing: null })).toEqual([]);
});

test("an approximate return of all accounts is noted if that of no account is approximate", () => {
  const account = { broker: "zerodha", returns: RETURNS, basis: BASIS, missing: null } as const;
  const approximate = { ...RETURNS, approximate: true };
  expect(totalNotes(approximate, [account])).toEqual([
    { text: "The time-weighted return is approximate: open positions counted at cost." },
  ]);
  expect(totalNotes(approximate, [{ ...account, returns: approximate }])).toEqual([]);
  expect(totalNotes(RETURNS, [account])).toEqual([]);
  expect(totalNotes(null, [])).toEqual([]);
});
