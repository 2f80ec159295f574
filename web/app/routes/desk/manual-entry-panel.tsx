import { useState } from "react";
import { loadManualBook, saveManualBook } from "#features/entry/manual-book.ts";
import { type Book, BROKERS, parseBook, TRADE_TYPES } from "#lib/books.ts";
import { Field } from "#ui/field.tsx";
import { Select } from "#ui/select.tsx";
import { ManualPanel } from "./manual-panel.tsx";

const DEFAULT_BOOK: Book = { broker: "zerodha", tradetype: "equity" };

/** The manual entry table as a separate panel, with the selection of the book above it. */
export function ManualEntryPanel({ email }: { email: string }) {
  const [book, setBook] = useState(() => loadManualBook() ?? DEFAULT_BOOK);

  function choose(broker: string, tradetype: string) {
    const chosen = parseBook(broker, tradetype);
    if (!chosen) return;
    saveManualBook(chosen);
    setBook(chosen);
  }

  return (
    <>
      <div className="mb-8 grid max-w-2xl gap-x-5 sm:grid-cols-2">
        <Field label="Broker">
          {(control) => (
            <Select
              {...control}
              value={book.broker}
              onChange={(event) => choose(event.currentTarget.value, book.tradetype)}
              options={BROKERS}
            />
          )}
        </Field>
        <Field label="Trade type">
          {(control) => (
            <Select
              {...control}
              value={book.tradetype}
              onChange={(event) => choose(book.broker, event.currentTarget.value)}
              options={TRADE_TYPES}
            />
          )}
        </Field>
      </div>
      <ManualPanel email={email} book={book} />
    </>
  );
}
