import { type Book, toBook } from "#content/books.ts";
import { lasting } from "#lib/storage.ts";

const BROKER = "manualEntryBroker";
const TRADE_TYPE = "manualEntryTradeType";

/** The book that is written by hand in this browser: whoever comes back goes on with it. */
export function manualBook(): Book | undefined {
  return toBook(lasting.get(BROKER), lasting.get(TRADE_TYPE));
}

export function keepManualBook({ broker, tradetype }: Book): void {
  lasting.set(BROKER, broker);
  lasting.set(TRADE_TYPE, tradetype);
}

export function forgetManualBook(): void {
  lasting.remove(BROKER);
  lasting.remove(TRADE_TYPE);
}
