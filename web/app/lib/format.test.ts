import { describe, expect, test } from "vitest";
import {
  count,
  date,
  dateTime,
  dayHeading,
  fileSize,
  inr,
  inrCompact,
  inrPaise,
  inrPrice,
  istDate,
  plural,
  signed,
  time,
  units,
  wait,
} from "./format.ts";

describe("rupees", () => {
  test.each([
    [0, "₹0"],
    [20, "₹20"],
    [1978.4, "₹1,978.40"],
    [1234567.5, "₹12,34,567.50"],
    [99999999999.99, "₹99,99,99,99,999.99"],
    [-320.5, "−\u2060₹320.50"],
  ])("inr(%d) is %s", (value, text) => expect(inr(value)).toBe(text));

  test.each([
    [0, "₹0.00"],
    [48, "₹48.00"],
    [-1421.3, "−\u2060₹1,421.30"],
  ])("inrPaise(%d) is %s", (value, text) => expect(inrPaise(value)).toBe(text));

  test.each([
    [1588.4, "₹1,588.40"],
    [86.425, "₹86.425"],
    [0.0125, "₹0.0125"],
  ])("inrPrice(%d) is %s", (value, text) => expect(inrPrice(value)).toBe(text));

  test.each([
    [0, "₹0"],
    [950, "₹950"],
    [1200, "₹1.2k"],
    [99_900, "₹99.9k"],
    [99_950, "₹1L"],
    [120_000, "₹1.2L"],
    [99_94_000, "₹99.9L"],
    [99_96_000, "₹1Cr"],
    [1_20_00_000, "₹1.2Cr"],
    [-45_600, "−\u2060₹45.6k"],
  ])("inrCompact(%d) is %s", (value, text) => expect(inrCompact(value)).toBe(text));

  test.each([
    [4896, "+\u2060₹4,896.00"],
    [-320.5, "−\u2060₹320.50"],
    [0, "₹0.00"],
    [-0, "₹0.00"],
  ])("signed(%d) is %s", (value, text) => expect(signed(value)).toBe(text));
});

describe("counts", () => {
  test.each([
    [2500, "2,500"],
    [0.125, "0.125"],
    [151800, "1,51,800"],
  ])("count(%d) is %s", (value, text) => expect(count(value)).toBe(text));

  test.each([
    [75, "75"],
    [0.000125, "0.000125"],
  ])("units(%d) is %s", (value, text) => expect(units(value)).toBe(text));

  test.each([
    [0, "0 trades"],
    [1, "1 trade"],
    [1518, "1,518 trades"],
  ])("plural(%d) is %s", (value, text) => expect(plural(value, "trade")).toBe(text));

  test.each([
    [1, "1 byte"],
    [999, "999 bytes"],
    [1_000, "0.977 kB"],
    [1_024, "1 kB"],
    [1_023_600, "0.976 MB"],
    [3_120_000, "2.98 MB"],
    [5_242_880, "5 MB"],
    [33_554_432, "32 MB"],
  ])("fileSize(%d) is %s", (value, text) => expect(fileSize(value)).toBe(text));

  test.each([
    [1, "1 second"],
    [2, "2 seconds"],
    [89.2, "90 seconds"],
    [90, "2 minutes"],
    [900, "15 minutes"],
    [7199, "120 minutes"],
    [86_399, "24 hours"],
  ])("wait(%d) is %s", (value, text) => expect(wait(value)).toBe(text));
});

describe("times are India time, wherever the reader is", () => {
  test("the time zone of this test is not that of India", () => {
    expect(new Date("2025-06-20T00:00:00Z").getTimezoneOffset()).not.toBe(-330);
  });

  test.each([
    ["2025-06-20T09:17:00Z", "20 Jun 2025, 2:47 pm"],
    ["2025-06-20T03:45:00Z", "20 Jun 2025, 9:15 am"],
    ["2025-06-20T09:15:00+05:30", "20 Jun 2025, 9:15 am"],
    ["2025-06-19T18:30:00Z", "20 Jun 2025, 12:00 am"],
    ["2025-09-01T06:30:00Z", "1 Sep 2025, 12:00 pm"],
  ])("dateTime(%s) is %s", (iso, text) => expect(dateTime(iso)).toBe(text));

  test("a date without a time shows no time", () => {
    expect(dateTime("2025-06-19T18:30:00Z", "day")).toBe("20 Jun 2025");
  });

  test("the last second before midnight in India belongs to that day", () => {
    expect(istDate("2025-06-19T18:29:59Z")).toBe("2025-06-19");
    expect(istDate("2025-06-19T18:30:00Z")).toBe("2025-06-20");
  });

  test("dates and times", () => {
    expect(date("2025-06-20T09:17:00Z")).toBe("20 Jun 2025");
    expect(time("2025-06-20T09:17:00Z")).toBe("2:47 pm");
    expect(dayHeading("2025-06-20T09:17:00Z")).toBe("Fri, 20 Jun 2025");
  });
});
