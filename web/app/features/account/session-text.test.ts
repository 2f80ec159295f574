import { describe, expect, test } from "vitest";
import { endedSessionsText, lastSeen } from "./session-text.ts";

const NOW = Date.parse("2026-11-20T10:00:00Z");

describe("a session was last seen", () => {
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
  ])("%s: %s", (iso, text) => {
    expect(lastSeen(iso, NOW)).toBe(text);
  });
});

test.each([
  [0, "No other device was logged in."],
  [1, "1 other device was logged out."],
  [2, "2 other devices were logged out."],
])("%d ended: %s", (ended, text) => {
  expect(endedSessionsText(ended)).toBe(text);
});
