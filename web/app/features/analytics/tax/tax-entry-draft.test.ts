import { describe, expect, it } from "vitest";
import {
  draftMistakes,
  peopleOf,
  type TaxEntriesDraft,
  type TaxEntry,
  toDraft,
  toEntries,
  withRemovedAccounts,
} from "#features/analytics/tax/tax-entry-draft.ts";

const ACCOUNTS = [
  { broker: "zerodha", brokerAccount: 1, holder: "Asha Rao", label: "" },
  { broker: "zerodha", brokerAccount: 2, holder: "Ravi Rao", label: "" },
  { broker: "groww", brokerAccount: 1, holder: "asha  rao", label: "" },
  { broker: "dhan", brokerAccount: 1, label: "" },
] as unknown as Parameters<typeof peopleOf>[0];

const ENTRIES: TaxEntry[] = [
  {
    kind: "dividend",
    broker: "zerodha",
    day: "2025-08-14",
    name: "Infosys",
    amount: 2150.5,
    taxDeducted: 215,
  },
  { kind: "aisShortTermSales", broker: "zerodha", amount: 845210 },
  { kind: "reportShortTerm", broker: "zerodha", brokerAccount: 2, amount: -4500.25 },
  { kind: "otherIncome", broker: "zerodha", amount: 1200000 },
  { kind: "sharesAsBusiness", broker: "zerodha", brokerAccount: 2 },
  { kind: "advanceTax", broker: "zerodha", day: "2025-09-10", amount: 40000 },
  { kind: "oldRegime", broker: "zerodha" },
  { kind: "age60", broker: "zerodha", brokerAccount: 2 },
];

const EMPTY: TaxEntriesDraft = {
  dividends: [],
  totals: {},
  business: [],
  payments: [],
  oldRegime: [],
  ages: {},
};

function mistakes(draft: Partial<TaxEntriesDraft>) {
  return draftMistakes({ ...EMPTY, ...draft }, "2025-04-01", "2026-03-31");
}

describe("figures of a tax year", () => {
  it("come back from a draft as they were", () => {
    expect(toEntries(toDraft(ENTRIES, peopleOf(ACCOUNTS)))).toEqual(ENTRIES);
  });

  it("group accounts by person, and those without a holder with the first", () => {
    expect(peopleOf(ACCOUNTS)).toEqual([
      { name: "Asha Rao", account: "zerodha", accounts: ["zerodha", "groww", "dhan"] },
      { name: "Ravi Rao", account: "zerodha-2", accounts: ["zerodha-2"] },
    ]);
    expect(peopleOf([])).toEqual([]);
  });

  it("show a total of AIS that another account of the person has", () => {
    const entry: TaxEntry = { kind: "aisDividends", broker: "groww", amount: 5 };
    expect(toDraft([entry], peopleOf(ACCOUNTS)).totals).toEqual({ "aisDividends.zerodha": "5" });
  });

  it("of two accounts that became those of one person are added up", () => {
    const entry = (broker: TaxEntry["broker"], amount: number): TaxEntry => ({
      kind: "otherIncome",
      broker,
      amount,
    });
    const old: TaxEntry[] = [
      { kind: "oldRegime", broker: "zerodha" },
      { kind: "oldRegime", broker: "groww" },
    ];
    const draft = toDraft([entry("zerodha", 0.1), entry("groww", 0.2), ...old], peopleOf(ACCOUNTS));
    expect([draft.totals, draft.oldRegime]).toEqual([{ "otherIncome.zerodha": "0.3" }, ["zerodha"]]);
  });

  it("of a removed account stay visible", () => {
    const entry: TaxEntry = { kind: "reportLongTerm", broker: "upstox", brokerAccount: 3, amount: 5 };
    const accounts = withRemovedAccounts(ACCOUNTS, [...ENTRIES, entry]);
    expect(accounts.slice(ACCOUNTS.length)).toEqual([
      { broker: "upstox", brokerAccount: 3, label: "Upstox 3 (removed)" },
    ]);
    expect(peopleOf(accounts)[0]?.accounts).toContain("upstox-3");
  });

  it("may be typed with separators and a minus", () => {
    const totals = {
      "aisLongTermSales.zerodha": "₹1,23,456.50",
      "reportLongTerm.zerodha": "-4,500",
      "aisDividends.zerodha": " ",
    };
    expect(mistakes({ totals })).toEqual([]);
    expect(toEntries({ ...EMPTY, totals }).map(({ amount }) => amount)).toEqual([123456.5, -4500]);
  });

  it("are rejected with the field and a reason", () => {
    const dividend = {
      id: 3,
      account: "zerodha",
      day: "2025-03-31",
      name: " ",
      amount: "0",
      taxDeducted: "",
    };
    expect(mistakes({ dividends: [dividend] }).map(({ id }) => id)).toEqual([
      "dividend-3-day",
      "dividend-3-name",
      "dividend-3-amount",
    ]);
    const taxed = { ...dividend, day: "2025-04-01", name: "TCS", amount: "100", taxDeducted: "100.01" };
    expect(mistakes({ dividends: [taxed] })).toEqual([
      {
        id: "dividend-3-taxDeducted",
        message: "Dividend 1: enter rupees up to the amount of the dividend, or nothing.",
      },
    ]);
    expect(mistakes({ dividends: [{ ...taxed, day: "2026-04-01", taxDeducted: "" }] })).toHaveLength(1);
    const payment = { id: 1, account: "zerodha", day: "2026-04-01", amount: "0" };
    expect(mistakes({ payments: [payment] }).map(({ id }) => id)).toEqual([
      "payment-1-day",
      "payment-1-amount",
    ]);
    for (const [text, message] of [
      ["-1", "the amount cannot be negative."],
      ["1.005", "at most 2 digits after the point."],
      ["abc", "enter digits only, such as 1200000 or 12,00,000."],
      ["12 lakh", "enter digits only, such as 1200000 or 12,00,000."],
      ["123456789012", "the amount is too large, at most 11 digits."],
    ] as const) {
      expect(mistakes({ totals: { "aisDividends.zerodha": text } })).toEqual([
        { id: "aisDividends.zerodha", message: `Dividends: ${message}` },
      ]);
    }
    expect(mistakes({ totals: { "reportShortTerm.zerodha": "x" } })[0]?.message).toContain(
      "minus for a loss",
    );
  });
});
