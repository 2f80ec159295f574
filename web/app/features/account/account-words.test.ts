import { describe, expect, test } from "vitest";
import { endedLine, lastSeen } from "./account-words.ts";

const NOW = Date.parse("2026-11-20T10:00:00Z");

describe("a sign-in was last seen", () => {
  test.each([
    ["2026-11-20T10:00:05Z", "just now"],
    ["2026-11-20T09:58:01Z", "just now"],
    ["2026-11-20T09:58:00Z", "2 minutes ago"],
    ["2026-11-20T09:00:01Z", "59 minutes ago"],
    ["2026-11-20T09:00:00Z", "1 hour ago"],
    ["2026-11-19T10:00:01Z", "23 hours ago"],
    ["2026-11-19T10:00:00Z", "1 day ago"],
    ["2026-11-13T10:00:01Z", "6 days ago"],
    ["2026-11-03T20:00:00Z", "on 4 Nov 2026"],
  ])("%s: %s", (iso, words) => {
    expect(lastSeen(iso, NOW)).toBe(words);
  });
});

test.each([
  [0, "No other sign-in was open."],
  [1, "1 other sign-in was ended."],
  [2, "2 other sign-ins were ended."],
])("%d ended: %s", (ended, words) => {
  expect(endedLine(ended)).toBe(words);
});
