import { expect, it } from "vitest";
import weeklyCsv from "../../../crates/analytics/rates/weekly-contracts.csv?raw";
import { isExpiryDay, nearestExpiryDay, OPTION_INDICES, optionExchange } from "./expiry-calendar.ts";

it.each([
  // Weekly contracts of NIFTY since February 2019; on Tuesday since September 2025.
  ["NIFTY", "2019-02-07", false],
  ["NIFTY", "2019-02-14", true],
  ["NIFTY", "2025-08-21", true],
  ["NIFTY", "2025-08-26", false],
  ["NIFTY", "2025-08-28", true],
  ["NIFTY", "2025-09-02", true],
  ["NIFTY", "2025-09-04", false],
  // On Wednesday between September 2023 and November 2024, except in the week of the monthly contract.
  ["BANKNIFTY", "2023-08-24", true],
  ["BANKNIFTY", "2023-09-06", true],
  ["BANKNIFTY", "2023-09-07", false],
  ["BANKNIFTY", "2023-12-27", false],
  ["BANKNIFTY", "2023-12-28", true],
  ["BANKNIFTY", "2024-01-31", true],
  ["BANKNIFTY", "2024-11-13", true],
  ["BANKNIFTY", "2024-11-21", false],
  ["BANKNIFTY", "2024-12-24", true],
  ["FINNIFTY", "2021-10-14", true],
  ["FINNIFTY", "2021-10-19", true],
  ["FINNIFTY", "2024-11-19", true],
  ["FINNIFTY", "2024-11-26", true],
  ["FINNIFTY", "2024-12-03", false],
  ["MIDCPNIFTY", "2023-04-25", true],
  ["MIDCPNIFTY", "2023-05-03", true],
  ["MIDCPNIFTY", "2023-08-16", true],
  ["MIDCPNIFTY", "2023-08-21", true],
  ["MIDCPNIFTY", "2023-08-23", false],
  ["MIDCPNIFTY", "2024-11-18", true],
  ["MIDCPNIFTY", "2024-12-02", false],
  ["NIFTYNXT50", "2024-05-31", true],
  ["NIFTYNXT50", "2024-05-24", false],
  ["SENSEX", "2023-05-19", true],
  ["SENSEX", "2025-01-03", true],
  ["SENSEX", "2025-01-07", true],
  ["SENSEX", "2025-01-10", false],
  ["SENSEX", "2025-08-19", true],
  ["SENSEX", "2025-09-02", false],
  ["SENSEX", "2025-09-04", true],
  ["BANKEX", "2023-10-13", true],
  ["BANKEX", "2023-10-16", true],
  ["BANKEX", "2023-10-20", false],
  ["BANKEX", "2024-11-18", true],
  ["BANKEX", "2024-12-02", false],
  ["SENSEX50", "2024-11-22", false],
  ["SENSEX50", "2024-11-28", true],
  // Holidays on Tuesday 24 November and Friday 25 December 2026.
  ["NIFTY", "2026-11-24", false],
  ["NIFTY", "2026-11-23", true],
  ["NIFTY", "2026-12-02", false],
  ["NIFTY", "2026-12-01", true],
  ["RELIANCE", "2026-12-29", true],
  ["RELIANCE", "2026-12-22", false],
  ["BANKNIFTY", "2026-12-22", false],
])("%s, %s: an expiry day is %j", (underlying, day, expected) => {
  expect(isExpiryDay(underlying, day)).toBe(expected);
});

it.each([
  ["the holidays of the year are not listed", "NIFTY", "2027-01-06"],
  ["the year is before the lists", "NIFTY", "2017-12-27"],
  ["the rules of the weekly contracts are not sourced", "SENSEX50", "2024-11-13"],
  ["no rules are sourced", "SENSEX", "2023-05-11"],
  ["the rule of the monthly contract is not sourced", "FINNIFTY", "2022-03-09"],
])("does not know the expiry days if %s", (_, underlying, day) => {
  expect(isExpiryDay(underlying, day)).toBeUndefined();
});

it.each([
  ["NIFTY", "2026-12-02", "", "2026-12-01"],
  ["NIFTY", "2026-12-02", "2026-12-02", "2026-12-08"],
  ["NIFTY", "2026-11-24", "2026-11-12", "2026-11-23"],
  ["BANKNIFTY", "2026-12-15", "", "2026-12-29"],
  ["RELIANCE", "2026-12-01", "2026-11-30", "2026-12-29"],
  ["SENSEX", "2023-05-11", "2023-05-01", "2023-05-19"],
  ["NIFTY", "2027-03-10", "", undefined],
])("suggests for %s on %s, not before %j, the expiry day %s", (underlying, day, earliest, expected) => {
  expect(nearestExpiryDay(underlying, day, earliest)).toBe(expected);
});

it("knows the exchanges of indices and stocks", () => {
  expect(["NIFTY", "TCS", "SENSEX", "BANKEX"].map(optionExchange)).toEqual(["NSE", "NSE", "BSE", "BSE"]);
});

it("suggests the indices whose contracts are listed", () => {
  expect(OPTION_INDICES).toEqual([
    "NIFTY",
    "BANKNIFTY",
    "FINNIFTY",
    "MIDCPNIFTY",
    "NIFTYNXT50",
    "SENSEX",
    "BANKEX",
    "SENSEX50",
  ]);
});

it("has a date, an exchange, a weekday, the certainty and a source in each row of the weekly contracts", () => {
  const [header, ...rows] = weeklyCsv.trimEnd().split("\n");
  expect(header).toBe("from,exchange,underlying,weekday,certainty,source");
  const weekday = "monday|tuesday|wednesday|thursday|friday|none";
  const row = new RegExp(
    `^20\\d\\d-\\d\\d-\\d\\d,(NSE|BSE),[A-Z0-9]*,((${weekday}),verified,"[^"]+"|,unknown,not sourced)$`,
  );
  expect(rows.filter((text) => !row.test(text))).toEqual([]);
});
