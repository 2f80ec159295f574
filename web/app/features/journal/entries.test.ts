import { describe, expect, test } from "vitest";
import { type Entry, joinEntryPages, withEntry } from "#features/journal/entries.ts";

function entry(id: string, pnl: number): Entry {
  return {
    id,
    type: "intraday",
    symbol: "INFY",
    quantity: 1,
    buyPrice: 100,
    sellPrice: 100 + pnl,
    targetPrice: 110,
    stopLoss: 95,
    buyDateTime: "2025-06-20T10:22:00+05:30",
    sellDateTime: "2025-06-20T14:05:00+05:30",
    pnl,
    status: pnl > 0 ? "WIN" : "LOSS",
  };
}

const page = (data: Entry[], rest: { total: number; pnl: number; wins: number }) => ({
  data,
  anonymous: false,
  ...rest,
});

const LOADED = {
  pageParams: ["", "c"],
  pages: [
    page([entry("3", 0.1), entry("2", -5)], { total: 3, pnl: 5.2, wins: 2 }),
    page([entry("1", 10.1)], { total: 3, pnl: 5.2, wins: 2 }),
  ],
};

describe("journal entries", () => {
  test("[4K-03] a new entry is first and counts in the totals, to the paisa", () => {
    const joined = joinEntryPages(withEntry(LOADED, entry("4", 0.1), "")?.pages ?? []);
    expect(joined.entries.map(({ id }) => id)).toEqual(["4", "3", "2", "1"]);
    expect(joined).toMatchObject({ total: 4, pnl: 5.3, wins: 3, anonymous: true });
  });

  test("a stored entry is added once, even after a retry", () => {
    expect(withEntry(LOADED, entry("2", -5), "")).toBe(LOADED);
  });

  test("belong to the account of a logged-in user", () => {
    expect(joinEntryPages(withEntry(LOADED, entry("4", -1), "a@b.in")?.pages ?? [])).toMatchObject({
      total: 4,
      pnl: 4.2,
      wins: 2,
      anonymous: false,
    });
  });
});
