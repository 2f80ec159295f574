import { expect, test } from "vitest";
import {
  screenshotFileName,
  screenshotLabel,
  screenshotsOf,
} from "#features/trader-journal/screenshots/screenshot.ts";

test("an entry without the field has no screenshots", () => {
  expect([screenshotsOf(null), screenshotsOf(undefined), screenshotsOf({})]).toEqual([[], [], []]);
});

test("a label names the place", () => {
  expect(screenshotLabel(1, 3)).toBe("Screenshot 2 of 3");
});

test("the file name has the day and the subject", () => {
  const day = "2026-11-20";
  const png = { mediaType: "image/png" } as const;
  expect(screenshotFileName({ kind: "position", symbol: "M&M", day }, 0, png)).toBe("2026-11-20-M&M-1.png");
  expect(screenshotFileName({ kind: "position", symbol: "../a b", day }, 1, png)).toBe(
    "2026-11-20--a-b-2.png",
  );
  expect(screenshotFileName({ kind: "day", day }, 2, { mediaType: "image/jpeg" })).toBe(
    "2026-11-20-day-3.jpg",
  );
});
