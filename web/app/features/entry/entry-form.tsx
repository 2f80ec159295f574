import { useEffect, useId, useRef } from "react";
import { useWatch } from "react-hook-form";
import { useBookSize } from "#features/entry/book-sizes.ts";
import { FAILED } from "#features/entry/entry-failure.ts";
import { BookFields, LegFields, NoteFields, StockFields } from "#features/entry/entry-fields.tsx";
import { type EntryIntent, forcedMode } from "#features/entry/entry-intent.ts";
import { entryResult } from "#features/entry/entry-result.ts";
import { ENTRY_FIELDS, type Entry, isLegEmpty } from "#features/entry/entry-schema.ts";
import { type EntryOptions, type EntryForm as Form, useEntry } from "#features/entry/use-entry.ts";
import { type Book, bookName, parseBook } from "#lib/books.ts";
import { count, plural } from "#lib/format.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";
import { ErrorSummary } from "#ui/error-summary.tsx";
import { fieldMessages } from "#ui/field-messages.ts";
import { Result } from "#ui/money.tsx";

export type EntryFormProps = EntryOptions & {
  /** Called with the book chosen in the form; undefined if none is chosen. */
  onBook?: (book: Book | undefined) => void;
};

/** Form for the manual entry of a trade with its buy and its sell. */
export function EntryForm({ onBook, ...options }: EntryFormProps) {
  const { form, submit, sending, failure, tries, saved } = useEntry(options);
  const messages = fieldMessages(form.formState.errors, ENTRY_FIELDS);
  const [broker, tradetype] = useWatch({ control: form.control, name: ["broker", "tradetype"] });
  const latest = useRef<HTMLParagraphElement>(null);
  // Focusing the first field scrolls it below the sticky header, which may cover the message above it.
  useEffect(() => {
    if (saved) latest.current?.scrollIntoView({ block: "nearest" });
  }, [saved]);
  useEffect(() => onBook?.(parseBook(broker, tradetype)), [broker, tradetype, onBook]);
  const saveNote = useId();

  return (
    <form
      noValidate
      aria-label="Trade"
      onSubmit={submit("leave")}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void submit("another")(event);
      }}
      className="max-w-4xl"
    >
      <div className={messages.length > 0 ? "mt-5" : ""}>
        <ErrorSummary errors={messages} attempt={tries} />
      </div>
      {!options.book && <BookFields form={form} />}
      {/* Above the focused field, because on a phone the buttons are out of sight. */}
      <p
        ref={latest}
        role="status"
        className="text-ui not-empty:mt-5 not-empty:rounded-panel not-empty:bg-gain-soft not-empty:px-5 not-empty:py-3"
      >
        {saved && <SavedText entry={saved} />}
      </p>
      <StockFields form={form} />
      <LegFields form={form} />
      <ResultLine form={form} />
      <NoteFields form={form} />
      {failure && (
        <Banner tone="loss" role="alert" title={FAILED} className="mt-6">
          {failure.text}
        </Banner>
      )}
      <div id={saveNote} className="mt-7">
        <SaveNote book={parseBook(broker, tradetype)} intent={options.intent} />
      </div>
      <div className="mt-4 flex flex-wrap items-center gap-3">
        <Button
          type="submit"
          pending={sending === "leave"}
          aria-describedby={saveNote}
          className="h-12 min-w-32 max-sm:w-full sm:h-11"
        >
          Save
        </Button>
        <Button
          variant="secondary"
          pending={sending === "another"}
          onClick={submit("another")}
          aria-keyshortcuts="Control+Enter"
          aria-describedby={saveNote}
          className="h-12 max-sm:w-full sm:h-11"
        >
          Save and add another
        </Button>
        <span aria-hidden="true" className="text-data text-ink-3 max-desk:hidden">
          Ctrl + Enter
        </span>
      </div>
    </form>
  );
}

/** States what Save does with the trades of the book. */
function SaveNote({ book, intent }: { book: Book | undefined; intent: EntryIntent | undefined }) {
  const size = useBookSize(book);
  if (!book || size === undefined) return null;
  const name = bookName(book);
  if (size > 0 && forcedMode(book, intent) === "replace") {
    return (
      <Banner tone="warn" title={`Save replaces all ${plural(size, "trade")} of ${name}`}>
        Only this entry remains. You can restore the replaced trades for 30 days.
      </Banner>
    );
  }
  return (
    <p className="text-ink-2 text-ui">
      {size === 0
        ? `Save adds this entry as the first of ${name}.`
        : `Save adds this entry to the ${plural(size, "trade")} of ${name}. They stay as they are.`}
    </p>
  );
}

function ResultLine({ form: { control } }: { form: Form }) {
  const names = ["buyPrice", "sellPrice", "quantity", "buyDate", "sellDate"] as const;
  const [buyPrice, sellPrice, quantity, buyDate, sellDate] = useWatch({ control, name: names });
  const result = entryResult({ buyPrice, sellPrice, quantity });
  const [noBuy, noSell] = (["buy", "sell"] as const).map((leg) =>
    isLegEmpty({ buyPrice, buyDate, sellPrice, sellDate }, leg),
  );
  if (noBuy !== noSell) {
    return (
      <p role="status" className="mt-4 flex min-h-7 items-baseline px-1 text-ui">
        Open position: only the {noBuy ? "sell" : "buy"} is saved.
      </p>
    );
  }
  return (
    <p className="mt-4 flex min-h-7 flex-wrap items-baseline justify-between gap-x-4 px-1 text-ui">
      <span className="text-ink-2">Profit or loss, before charges</span>
      {/* Not a live region, which would be read out at every key. */}
      <output aria-label="Profit or loss" aria-live="off" className="text-h4">
        {result === undefined ? <span className="text-ink-3">–</span> : <Result value={result} />}
      </output>
    </p>
  );
}

function SavedText({ entry }: { entry: Entry }) {
  const result = entryResult(entry);
  return (
    <>
      Saved in {bookName(entry)}: {entry.type} {count(Number(entry.quantity))} {entry.symbol},{" "}
      {result === undefined ? "open position" : <Result value={result} />}
    </>
  );
}
