import { expect, it } from "vitest";
import { groupByChange } from "./answer-changes.ts";

const entry = (id: string, changeId: string) =>
  ({
    id,
    changeId,
    kind: "settlement",
    symbol: `X${id}`,
    date: "2026-05-05",
    addedAt: "2026-11-20T10:15:00Z",
  }) as const;

it("groups entries by their change, newest first, from the first to the last id", () => {
  const changes = groupByChange([entry("12", "9"), entry("3", "3"), entry("9", "9"), entry("10", "9")]);
  expect(changes.map(({ firstId, lastId, entries }) => [firstId, lastId, entries.length])).toEqual([
    ["9", "12", 3],
    ["3", "3", 1],
  ]);
});
