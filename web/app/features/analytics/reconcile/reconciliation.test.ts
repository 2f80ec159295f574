import { describe, expect, test } from "vitest";
import {
  chargeLine,
  chargesText,
  grossText,
  reasonOptions,
  rowLines,
  rowName,
  verdict,
} from "#features/analytics/reconcile/reconciliation.ts";
import { reconciliation, row, sums } from "#features/analytics/reconcile/reconciliation-fixture.ts";
import { rowPath } from "#features/analytics/reconcile/row-link.tsx";

test("shows the result of a row, and the other figures that differ", () => {
  const lines = rowLines(row("INFY", sums(100, 1_000, 1_500), sums(150, 1_000, 1_750.5)));
  expect(lines.map(({ label }) => label)).toEqual(["Gross P&L", "Quantity", "Sale value"]);
  expect(lines[0]).toMatchObject({ log: "+\u2060₹500.00", difference: "−\u2060₹250.50", same: false });
  expect(lines[1]).toMatchObject({ log: "100", report: "150", difference: "−50" });
  expect(rowLines(row("INFY", sums(3, 1, 2), sums(1, 1, 2)))[1]).toMatchObject({ difference: "+2" });
});

test("shows a dash, not zero, for a side without the share", () => {
  expect(rowLines(row("INFY", null, sums(5, 10, 15)))[0]).toMatchObject({
    log: "–",
    report: "+\u2060₹5.00",
    difference: "−\u2060₹5.00",
  });
});

test("shows no difference for a charge that only one side has", () => {
  const charge = { charge: "ipft", log: null, report: 0.12, agrees: true, cause: null, lines: [] } as const;
  expect(chargeLine({ ...charge, difference: null, lines: [], prices: [] })).toMatchObject({
    log: "–",
    report: "₹0.12",
    difference: "–",
    same: true,
  });
});

describe("the result in one line", () => {
  test.each([
    [{}, "Your log agrees with Zerodha"],
    [{ agrees: false, differingRows: 1, totalRows: 217 }, "1 of 217 shares differs"],
    [{ agrees: false, differingRows: 3, totalRows: 217 }, "3 of 217 shares differ"],
    [{ agrees: false, differingRows: 1, totalRows: 1 }, "1 of 1 share differs"],
    [{ agrees: false, totalRows: 9, tradetype: "fno" }, "Every contract agrees, some charges differ"],
  ] as const)("%j: %s", (more, text) => expect(verdict(reconciliation(more))).toBe(text));

  test("states whether the log has more or less than the broker", () => {
    const { totals } = reconciliation();
    const gross = { log: 300, report: 1_500, difference: -1_200 };
    const charges = { log: 12, report: 10, difference: 2 };
    const result = reconciliation({ totals: { ...totals, gross, charges } });
    expect(grossText(result)).toBe("Your log has ₹1,200.00 less gross P&L than Zerodha.");
    expect(chargesText(result)).toBe("The estimated charges in your log are ₹2.00 higher.");
    expect(chargesText(reconciliation())).toBe("The estimated charges in your log are the same.");
  });
});

test("lists the reasons with the number of their rows", () => {
  const withReason = (code: "none" | "rounding") => ({ cause: { code, sentence: "" } });
  const rows = [
    row("A", null, sums(1, 1, 2), withReason("none")),
    row("B", null, sums(1, 1, 2), withReason("rounding")),
    row("C", null, sums(1, 1, 2), withReason("rounding")),
    row("D", sums(1, 1, 2), sums(1, 1, 2)),
  ];
  expect(reasonOptions(rows)).toEqual([
    { value: "rounding", label: "Rounding (2)" },
    { value: "none", label: "Reason not found (1)" },
  ]);
});

describe("the link of a row", () => {
  const report = reconciliation();
  const both = row("M&M", sums(1, 1, 2), null);

  test("of a share leads to its closed trades of the period, without contracts", () => {
    expect(rowPath(both, report, false)).toBe(
      "/analytics/trades?from=2025-04-01&to=2026-03-31&broker=zerodha&symbol=M%26M&unit=closedTrades&by=instrument&key=equity",
    );
  });

  test("of a contract leads to the closed trades of its symbol", () => {
    expect(rowPath(row("NIFTY25JUNFUT", sums(75, 1, 2), null), { ...report, tradetype: "fno" }, true)).toBe(
      "/analytics/trades?from=2025-04-01&to=2026-03-31&broker=zerodha&symbol=NIFTY25JUNFUT&unit=closedTrades",
    );
  });

  test("without closed trades leads to the log, for the owner only", () => {
    const missing = row("INFY", null, sums(1, 1, 2));
    expect(rowPath(missing, report, true)).toBe("/dashboard?panel=1&q=INFY&broker=zerodha&tradetype=equity");
    expect(rowPath(missing, report, false)).toBeUndefined();
    expect(rowPath({ ...missing, symbol: null }, report, true)).toBeUndefined();
  });
});

test("names a contract by underlying, expiry and strike, a share by its symbol", () => {
  const contract = { underlying: "NIFTY", expiry: "2026-03-30", kind: "PE", strike: 22_350 } as const;
  expect(rowName(row("NIFTY26MAR22350PE", null, null, { contract }))).toBe("NIFTY 30 Mar 2026 22,350 PE");
  expect(rowName(row("TCS", null, null))).toBe("TCS");
});
