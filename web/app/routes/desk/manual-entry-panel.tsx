import { useState } from "react";
import { type Book, BROKERS, TRADE_TYPES, toBook } from "#content/books.ts";
import { keepManualBook, manualBook } from "#features/entry/manual-book.ts";
import { Field } from "#ui/field.tsx";
import { Select } from "#ui/select.tsx";
import { ManualPanel } from "./manual-panel.tsx";

const FIRST: Book = { broker: "zerodha", tradetype: "equity" };

/** The manual entry table as a panel of its own, with the choice of the book above it. */
export function ManualEntryPanel({ email }: { email: string }) {
  const [book, setBook] = useState(() => manualBook() ?? FIRST);

  function choose(broker: string, tradetype: string) {
    const chosen = toBook(broker, tradetype);
    if (!chosen) return;
    keepManualBook(chosen);
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
