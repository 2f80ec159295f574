import { expect, test } from "vitest";
import type { Trade } from "#features/trades/trade-pages.ts";
import { chunkIds } from "#features/trades/use-trade-results.ts";

const trades = Array.from({ length: 250 }, (_, index) => ({ _id: String(index) })) as Trade[];

test.each([
  [0, 20, ["0", "99"]],
  [95, 130, ["0", "99", "100", "199"]],
  [210, 400, ["200", "249"]],
  [300, 320, []],
])("rows %d to %d need the chunks with the first and last ids %j", (first, last, ends) =>
  expect(
    chunkIds(trades, first, last)
      .map((ids) => ids.split(","))
      .flatMap((ids) => [ids[0], ids.at(-1)]),
  ).toEqual(ends),
);

test("no trades need no request", () => expect(chunkIds([], 0, 0)).toEqual([]));
