import { expect, it } from "vitest";
import { parseTaxView, writeTaxView } from "#features/analytics/tax/tax-view.ts";

const YEARS = ["2026-27", "2025-26"];
const GROUPS = [{ value: "zerodha,groww-2" }, { value: "zerodha" }];

it("reads year and accounts from the address", () => {
  const view = { year: "2025-26", accounts: "zerodha,groww-2" };
  const params = writeTaxView(new URLSearchParams("from=2025-04-01"), view);
  expect(params.get("from")).toBe("2025-04-01");
  expect(parseTaxView(params, YEARS, GROUPS)).toEqual(view);
  expect(writeTaxView(params, { accounts: "" }).has("accounts")).toBe(false);
});

it("ignores years and accounts that the log does not have", () => {
  for (const address of ["", "year=2001-02&accounts=upstox", "year=x&accounts=zerodha%27--"]) {
    expect(parseTaxView(new URLSearchParams(address), YEARS, GROUPS)).toEqual({
      year: "2026-27",
      accounts: "",
    });
  }
});
