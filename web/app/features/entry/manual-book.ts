import { type Book, parseBook } from "#lib/books.ts";
import { persistentStorage } from "#lib/storage.ts";

const BROKER = "manualEntryBroker";
const TRADE_TYPE = "manualEntryTradeType";

/** Returns the book last used for manual entry in this browser. */
export function loadManualBook(): Book | undefined {
  return parseBook(persistentStorage.get(BROKER), persistentStorage.get(TRADE_TYPE));
}

export function saveManualBook({ broker, tradetype }: Book): void {
  persistentStorage.set(BROKER, broker);
  persistentStorage.set(TRADE_TYPE, tradetype);
}

export function clearManualBook(): void {
  persistentStorage.remove(BROKER);
  persistentStorage.remove(TRADE_TYPE);
}
