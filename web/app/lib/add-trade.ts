import { api, retryAfter, type Schemas } from "#lib/api.ts";
import type { Book } from "#lib/books.ts";

export type NewTrade = Schemas["NewTrade"];

/** Result of a request to add a trade. */
export type AddResult =
  | { kind: "added" }
  /** An earlier request with the same key added the trade, and it was deleted since. */
  | { kind: "deleted" }
  /** `seconds` until the request may be repeated, if the server says so. */
  | { kind: "rejected"; error: unknown; seconds: number | undefined }
  /** The trade may be added or not. */
  | { kind: "noResponse" };

/** Adds a trade to a book. Requests with the same idempotency key add it once. */
export async function addTrade(email: string, book: Book, trade: NewTrade, key: string): Promise<AddResult> {
  const { broker, brokerAccount, tradetype } = book;
  try {
    const { data, error, response } = await api.POST("/trades/add", {
      params: { header: { Prefer: "return=minimal", "Idempotency-Key": key } },
      body: { email, broker, ...(brokerAccount && { brokerAccount }), tradetype, trade },
    });
    if (!data) return { kind: "rejected", error, seconds: retryAfter(response) };
    return { kind: "trade" in data && data.trade === null ? "deleted" : "added" };
  } catch (error) {
    console.warn(error);
    return { kind: "noResponse" };
  }
}
