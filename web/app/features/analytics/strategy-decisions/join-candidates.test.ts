import { expect, test } from "vitest";
import { CONDOR } from "#features/analytics/strategies/strategy-fixture.ts";
import { joinCandidates, joinQuery } from "#features/analytics/strategy-decisions/join-candidates.ts";

test("the period is 45 days around the day of opening in India", () =>
  expect(joinQuery({ underlying: "NIFTY", openedAt: "2026-11-11T20:00:00Z" })).toEqual({
    symbol: "NIFTY",
    limit: 200,
    from: "2026-09-28",
    to: "2026-12-27",
  }));

test("the nearest opening is first, without the strategy itself", () => {
  const at = (id: string, openedAt: string) => ({ ...CONDOR, id, openedAt });
  const strategies = [
    at("later", "2026-11-20T05:00:00Z"),
    at("minutes before", "2026-11-12T04:58:00Z"),
    CONDOR,
    at("a day before", "2026-11-11T05:02:00Z"),
  ];
  expect(joinCandidates(strategies, CONDOR).map(({ id }) => id)).toEqual([
    "minutes before",
    "a day before",
    "later",
  ]);
});
