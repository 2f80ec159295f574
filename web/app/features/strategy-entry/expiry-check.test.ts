import { expect, it } from "vitest";
import { checkExpiry } from "./expiry-check.ts";
import { newStrategy } from "./strategy-fields.ts";

const check = (underlying: string, expiry: string, openedAt = "") =>
  checkExpiry({ ...newStrategy("zerodha"), underlying, openedAt }, expiry);

it.each([
  [
    "another weekday",
    "nifty",
    "2026-12-02",
    "No NIFTY contract expires on Wed 2 Dec 2026. Did you mean Tue 1 Dec?",
  ],
  [
    "a holiday",
    "NIFTY",
    "2026-11-24",
    "No NIFTY contract expires on Tue 24 Nov 2026. Did you mean Mon 23 Nov?",
  ],
  [
    "a week without an expiry",
    "TCS",
    "2026-12-15",
    "No TCS contract expires on Tue 15 Dec 2026. Did you mean Tue 29 Dec?",
  ],
  [
    "a day in another year",
    "TCS",
    "2026-01-02",
    "No TCS contract expires on Fri 2 Jan 2026. Did you mean Tue 30 Dec 2025?",
  ],
])("suggests the nearest expiry day for %s", (_, underlying, expiry, text) => {
  expect(check(underlying, expiry)?.text).toBe(text);
});

it("suggests no day before the opening", () => {
  expect(check("NIFTY", "2026-12-02", "2026-12-02T10:00")?.suggestion).toEqual({
    day: "2026-12-08",
    label: "Tue 8 Dec",
  });
});

it("suggests nothing if the expiry days near by are not known", () => {
  expect(check("TCS", "2026-12-31", "2026-12-30T10:00")).toEqual({
    text: "No TCS contract expires on Thu 31 Dec 2026. Please check the date.",
    suggestion: undefined,
  });
});

it.each([
  ["an expiry day", "NIFTY", "2026-12-01"],
  ["a year without listed holidays", "NIFTY", "2027-01-06"],
  ["an incomplete date", "NIFTY", "0002-12-02"],
  ["an underlying that is no name", "NIFTY 50", "2026-12-02"],
])("accepts %s", (_, underlying, expiry) => {
  expect(check(underlying, expiry)).toBeUndefined();
});
