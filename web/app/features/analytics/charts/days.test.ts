import { expect, test } from "vitest";
import { dayNumber, dayText, dayTicks, months, weekdayOf } from "#features/analytics/charts/days.ts";

test("numbers days continuously over leap days and ends of years", () => {
  expect(dayNumber("2024-03-01") - dayNumber("2024-02-28")).toBe(2);
  expect(dayText(dayNumber("2025-12-31") + 1)).toBe("2026-01-01");
});

test.each([
  ["2026-11-20", 4],
  ["2026-11-23", 0],
  ["1969-12-31", 2],
  ["2024-02-29", 3],
])("%s is weekday %d, counted from Monday", (day, weekday) => expect(weekdayOf(day)).toBe(weekday));

test("marks a few weeks by days", () => {
  expect(dayTicks("2025-04-01", "2025-04-30", 5)).toEqual([
    { day: "2025-04-01", label: "1 Apr" },
    { day: "2025-04-08", label: "8 Apr" },
    { day: "2025-04-15", label: "15 Apr" },
    { day: "2025-04-22", label: "22 Apr" },
    { day: "2025-04-29", label: "29 Apr" },
  ]);
});

test("marks a year by months from April, with the year at its first mark", () => {
  expect(dayTicks("2025-04-01", "2026-03-31", 6).map(({ label }) => label)).toEqual([
    "Apr 2025",
    "Jun",
    "Aug",
    "Oct",
    "Dec",
    "Feb 2026",
  ]);
  expect(dayTicks("2025-04-02", "2026-03-31", 4).map(({ label }) => label)).toEqual([
    "Jul 2025",
    "Oct",
    "Jan 2026",
  ]);
});

test("makes at most as many marks as fit", () => {
  for (const to of ["2020-01-01", "2020-01-20", "2020-03-01", "2020-09-15", "2023-06-30", "2049-12-31"])
    for (const room of [3, 5, 8]) expect(dayTicks("2020-01-01", to, room).length).toBeLessThanOrEqual(room);
});

test("divides a month into weeks from Monday", () => {
  const [may, june] = months("2025-05-14", "2025-06-02", false);
  expect(may?.title).toBe("May 2025");
  expect(may?.weeks[0]).toEqual([undefined, undefined, undefined, "2025-05-01", "2025-05-02"]);
  expect(may?.weeks.at(-1)?.at(-1)).toBe("2025-05-30");
  expect(june?.weeks).toHaveLength(5);
  expect(months("2025-06-01", "2025-06-30", true)[0]?.weeks[0]?.at(-1)).toBe("2025-06-01");
  expect(months("2025-12-01", "2026-01-31", false).map(({ month }) => month)).toEqual(["2025-12", "2026-01"]);
});
