import { expect, test } from "vitest";
import { row, sums } from "#features/analytics/reconcile/reconciliation-fixture.ts";
import { parseRowsView, visibleRows, writeRowsView } from "#features/analytics/reconcile/rows-view.ts";

const rows = [
  row("TCS", sums(1, 1, 900), sums(1, 1, 2), { cause: { code: "none", sentence: "" } }),
  row("INFY", sums(1, 1, 8), sums(1, 1, 2), {
    name: "Infosys Limited",
    isin: "INE009A01021",
    cause: { code: "rounding", sentence: "" },
  }),
  row("ABB", sums(1, 1, 2), sums(1, 1, 2)),
];
const all = { q: "", cause: "", sort: "size" } as const;
const names = (view: Parameters<typeof visibleRows>[1]) =>
  visibleRows(rows, view).map(({ symbol }) => symbol);

test("ignores invalid parameters, and does not write defaults", () => {
  expect(parseRowsView(new URLSearchParams("cause=theft&sort=best"))).toEqual(all);
  const params = new URLSearchParams("panel=reconcile&q=tcs&sort=symbol");
  expect(parseRowsView(params)).toEqual({ q: "tcs", cause: "", sort: "symbol" });
  expect(writeRowsView(params, { ...all, cause: "none" }).toString()).toBe("panel=reconcile&cause=none");
});

test("finds rows by symbol, name and ISIN, ignoring case", () => {
  expect(names({ ...all, q: " infosys " })).toEqual(["INFY"]);
  expect(names({ ...all, q: "ine009" })).toEqual(["INFY"]);
  expect(names({ ...all, q: "b" })).toEqual(["ABB"]);
  expect(names({ ...all, q: "none" })).toEqual([]);
});

test("filters by reason, and sorts in either order", () => {
  expect(names({ ...all, cause: "rounding" })).toEqual(["INFY"]);
  expect(names(all)).toEqual(["TCS", "INFY", "ABB"]);
  expect(names({ ...all, sort: "symbol" })).toEqual(["ABB", "INFY", "TCS"]);
});
