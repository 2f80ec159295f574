import { describe, expect, test } from "vitest";
import { behindRow } from "#features/analytics/reconcile/behind-row.ts";
import {
  causesOf,
  chargeLine,
  chargesWords,
  grossWords,
  rowLines,
  verdict,
} from "#features/analytics/reconcile/reconciliation.ts";
import { reconciliation, row, sums } from "#features/analytics/reconcile/reconciliation-fixture.ts";

test("of a row the result is shown, and what else differs", () => {
  const lines = rowLines(row("INFY", sums(100, 1_000, 1_500), sums(150, 1_000, 1_750.5)));
  expect(lines.map(({ label }) => label)).toEqual(["Gross P&L", "Quantity", "Sold for"]);
  expect(lines[0]).toMatchObject({ ours: "+\u2060₹500.00", difference: "−\u2060₹250.50", same: false });
  expect(lines[1]).toMatchObject({ ours: "100", theirs: "150", difference: "−50" });
  expect(rowLines(row("INFY", sums(3, 1, 2), sums(1, 1, 2)))[1]).toMatchObject({ difference: "+2" });
});

test("a side without the share shows a dash, not zero", () => {
  expect(rowLines(row("INFY", null, sums(5, 10, 15)))[0]).toMatchObject({
    ours: "–",
    theirs: "+\u2060₹5.00",
    difference: "−\u2060₹5.00",
  });
});

test("a charge that cannot be compared has no difference", () => {
  const charge = { charge: "ipft", ours: null, theirs: 0.12, agrees: true, cause: null, lines: [] } as const;
  expect(chargeLine({ ...charge, difference: null, lines: [] })).toMatchObject({
    ours: "–",
    theirs: "₹0.12",
    difference: "–",
    same: true,
  });
});

describe("the answer in one line", () => {
  test.each([
    [{}, "Your log agrees with Zerodha"],
    [{ agrees: false, differing: 1, rowTotal: 217 }, "1 of 217 shares differs"],
    [{ agrees: false, differing: 3, rowTotal: 217 }, "3 of 217 shares differ"],
    [{ agrees: false, differing: 1, rowTotal: 1 }, "1 of 1 share differs"],
    [{ agrees: false, rowTotal: 9, tradetype: "fno" }, "Every contract agrees, some charges differ"],
  ] as const)("%j: %s", (more, words) => expect(verdict(reconciliation(more))).toBe(words));

  test("more or less than the broker", () => {
    const { totals } = reconciliation();
    const gross = { ours: 300, theirs: 1_500, difference: -1_200 };
    const charges = { ours: 12, theirs: 10, difference: 2 };
    const said = reconciliation({ totals: { ...totals, gross, charges } });
    expect(grossWords(said)).toBe("Your log has ₹1,200.00 less gross P&L than Zerodha.");
    expect(chargesWords(said)).toBe("Its estimated charges are ₹2.00 higher.");
    expect(chargesWords(reconciliation())).toBe("Its estimated charges are the same.");
  });
});

test("the causes that there are, with how many rows have each", () => {
  const because = (code: "none" | "rounding") => ({ cause: { code, sentence: "" } });
  const rows = [
    row("A", null, sums(1, 1, 2), because("none")),
    row("B", null, sums(1, 1, 2), because("rounding")),
    row("C", null, sums(1, 1, 2), because("rounding")),
    row("D", sums(1, 1, 2), sums(1, 1, 2)),
  ];
  expect(causesOf(rows)).toEqual([
    { value: "rounding", label: "Rounding (2)" },
    { value: "none", label: "No cause found (1)" },
  ]);
});

describe("the trades behind a row", () => {
  const report = reconciliation();
  const both = row("M&M", sums(1, 1, 2), null);

  test("are its closed trades of the period, of shares alone", () => {
    expect(behindRow(both, report, false)).toBe(
      "/analytics?from=2025-04-01&to=2026-03-31&broker=zerodha&symbol=M%26M&by=instrument&key=equity#closed-trades",
    );
  });

  test("of a contract are named by its symbol", () => {
    expect(behindRow(row("NIFTY25JUNFUT", sums(75, 1, 2), null), { ...report, tradetype: "fno" }, true)).toBe(
      "/analytics?from=2025-04-01&to=2026-03-31&broker=zerodha&symbol=NIFTY25JUNFUT#closed-trades",
    );
  });

  test("are looked for in the log where nothing was closed, at one's own desk", () => {
    const missing = row("INFY", null, sums(1, 1, 2));
    expect(behindRow(missing, report, true)).toBe(
      "/dashboard?panel=1&q=INFY&broker=zerodha&tradetype=equity",
    );
    expect(behindRow(missing, report, false)).toBeUndefined();
    expect(behindRow({ ...missing, symbol: null }, report, true)).toBeUndefined();
  });
});
