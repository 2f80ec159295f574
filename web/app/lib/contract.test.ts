import { expect, it } from "vitest";
import { expiryLabel, isDay, tradeName, underlyingWithExpiry } from "#lib/contract.ts";

it.each([
  ["NIFTY", "2025-06-05", "PE", 24_750, "NIFTY 5 Jun 2025 24,750 PE"],
  ["NIFTY", "2026-05", "CE", 23_050, "NIFTY May 2026 23,050 CE"],
  ["BANKNIFTY", "2024-02-29", "FUT", null, "BANKNIFTY 29 Feb 2024 FUT"],
  ["M&M", "2024-09", "FUT", null, "M&M Sep 2024 FUT"],
  ["IDEA", "2026-01-01", "CE", 12.5, "IDEA 1 Jan 2026 12.5 CE"],
] as const)("%s %s %s %s", (underlying, expiry, kind, strike, name) => {
  expect(tradeName({ symbol: "X", contract: { underlying, expiry, kind, strike } })).toBe(name);
});

it("omits the year in a brief name", () => {
  const contract = { underlying: "NIFTY", expiry: "2025-06-05", kind: "PE", strike: 24_750 } as const;
  expect(underlyingWithExpiry(contract, true)).toBe("NIFTY 5 Jun");
  expect(underlyingWithExpiry({ ...contract, expiry: "2025-06" }, true)).toBe("NIFTY Jun 2025");
});

it("formats an expiry that is only a month", () => {
  expect([expiryLabel("2025-06-05"), isDay("2025-06-05")]).toEqual(["5 Jun 2025", true]);
  expect([expiryLabel("2025-06"), isDay("2025-06")]).toEqual(["Jun 2025", false]);
});

it("uses the symbol if there is no contract", () => {
  expect(tradeName({ symbol: "M&M" })).toBe("M&M");
});
