import { expect, test } from "vitest";
import {
  addMonths,
  longDay,
  longMonth,
  monthEnd,
  monthWeeks,
  parseDay,
  weekStart,
} from "#features/trader-journal/days.ts";

test("weeks begin on Monday", () => {
  expect(weekStart("2026-11-20")).toBe("2026-11-16");
  expect(weekStart("2026-11-16")).toBe("2026-11-16");
  expect(weekStart("2026-11-22")).toBe("2026-11-16");
  expect(weekStart("2026-01-01")).toBe("2025-12-29");
});

test("months have their days in weeks", () => {
  expect(monthEnd("2028-02-10")).toBe("2028-02-29");
  expect(addMonths("2026-01-31", -1)).toBe("2025-12-01");
  const weeks = monthWeeks("2026-11-20");
  expect(weeks).toHaveLength(6);
  expect(weeks[0]).toEqual([undefined, undefined, undefined, undefined, undefined, undefined, "2026-11-01"]);
  expect(weeks[5]?.[0]).toBe("2026-11-30");
});

test("only existing dates are days", () => {
  expect(parseDay("2026-11-20")).toBe("2026-11-20");
  for (const wrong of ["2026-02-30", "1989-01-01", "20-11-2026", "2026-11-20x", "", undefined])
    expect(parseDay(wrong)).toBeUndefined();
});

test("dates are written in full", () => {
  expect(longDay("2026-11-20")).toBe("Friday 20 November 2026");
  expect(longMonth("2026-11-20")).toBe("November 2026");
});
