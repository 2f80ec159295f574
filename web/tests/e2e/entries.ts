import { expect } from "@playwright/test";
import type { components } from "#lib/api-schema.d.ts";
import { type Account, bearer } from "./accounts.ts";

type NewTrade = components["schemas"]["NewTrade"];
type Book = { broker: "zerodha" | "groww"; tradetype: "equity" | "fno" };

const DEFAULT_BOOK: Book = { broker: "zerodha", tradetype: "equity" };

/** Adds a manual entry by the API: the buy, then the sell. */
export async function addEntry(account: Account, symbol: string, book = DEFAULT_BOOK): Promise<void> {
  const shared = { symbol, quantity: 10, pairId: `pair-${symbol}` };
  await addTrade(
    account,
    { ...shared, type: "buy", price: 1500.25, timestamp: "2026-02-02T10:15:00+05:30" },
    book,
  );
  await addTrade(
    account,
    { ...shared, type: "sell", price: 1512.5, timestamp: "2026-02-02T14:05:00+05:30" },
    book,
  );
}

export async function addTrade(
  { request, token }: Account,
  trade: NewTrade,
  book = DEFAULT_BOOK,
): Promise<void> {
  const response = await request.post("/api/v1/trades/add", {
    headers: { ...bearer(token), Prefer: "return=minimal" },
    data: { ...book, trade },
  });
  expect(response.status()).toBe(200);
}
