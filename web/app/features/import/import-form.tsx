import clsx from "clsx";
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { type Book, BROKERS, TRADE_TYPES, toBook } from "#content/books.ts";
import { BrokerHint } from "#features/import/broker-hint.tsx";
import { FileList } from "#features/import/file-list.tsx";
import { MAX_FILES, NO_FILE, refusals, TOO_MANY } from "#features/import/file-rules.ts";
import { inPhase, isBusy, stepOf, toSend } from "#features/import/import-item.ts";
import { ImportReview } from "#features/import/import-review.tsx";
import { ImportSteps } from "#features/import/import-steps.tsx";
// Here for its bytes: they come with the form, so that a lost line cannot part the two.
import "#features/import/send-import.ts";
import type { Importing } from "#features/import/use-import.ts";
import { FILE_KINDS, refusal } from "#lib/sheet-file.ts";
import { Button } from "#ui/button.tsx";
import { Field } from "#ui/field.tsx";
import { FileDrop } from "#ui/file-drop.tsx";
import { Select } from "#ui/select.tsx";

const ENTRY_TYPES = [
  { value: "manual", label: "Enter Manually" },
  { value: "excel", label: "Upload Excel Sheet" },
];

/** The other way to add trades, which stands in the same form. */
export type ManualEntry = {
  /** Was written by hand before: the form opens with it. */
  book: Book | undefined;
  onKeep: (book: Book) => void;
  onLeave: () => void;
  /** Asked when manual is chosen; with an undefined book nothing is asked. */
  question: (book: Book | undefined, onCancel: () => void) => ReactNode;
  table: (book: Book) => ReactNode;
};

export type ImportFormProps = {
  manual: ManualEntry;
  importing: Importing;
  /** The panel is the one that is looked at: a question may be asked. */
  shown: boolean;
};

export function ImportForm({ manual, importing, shown }: ImportFormProps) {
  const { items } = importing;
  const [book, setBook] = useState<Book>(manual.book ?? { broker: "zerodha", tradetype: "equity" });
  const [entry, setEntry] = useState(manual.book ? "manual" : "excel");
  const [asked, setAsked] = useState<Book>();
  const [error, setError] = useState<string>();
  const picker = useRef<HTMLInputElement>(null);
  const byHand = entry === "manual" && !asked;
  const reviewing = useReviewing(importing);
  const answersFirst = inPhase(items, "mismatch").length > 0 && toSend(items).length === 0;

  function submit(event: FormEvent) {
    event.preventDefault();
    if (isBusy(items)) return;
    const missing = toSend(items).length === 0;
    setError(missing ? NO_FILE : undefined);
    if (missing) picker.current?.focus();
    else importing.submit(book);
  }

  function choose(files: readonly File[]) {
    const good = files.filter((file) => !refusal(file));
    const room = MAX_FILES - inPhase(items, "chosen", "cancelled", "mismatch", "review").length;
    importing.choose(good.slice(0, room), book);
    setError(good.length > room ? TOO_MANY : refusals(files));
  }

  function chooseEntry(chosen: string) {
    setEntry(chosen);
    if (chosen === "manual") setAsked(book);
    else manual.onLeave();
  }

  function cancelManual() {
    setAsked(undefined);
    setEntry("excel");
  }

  // Who comes back goes on with the book that was open last.
  const { onKeep } = manual;
  useEffect(() => {
    if (byHand) onKeep(book);
  }, [byHand, book, onKeep]);

  // The review is put away, and the button for it with it.
  const wasReviewing = useRef(reviewing);
  useEffect(() => {
    if (wasReviewing.current && !reviewing && shown) picker.current?.focus();
    wasReviewing.current = reviewing;
  }, [reviewing, shown]);

  return (
    <>
      {!byHand && (
        <div className="mt-3">
          <ImportSteps now={stepOf(items)} />
        </div>
      )}
      <div
        className={clsx(
          "mt-2",
          !reviewing && "grid max-w-5xl gap-x-14 gap-y-10 lg:grid-cols-[minmax(0,1fr)_19rem]",
        )}
      >
        <form noValidate onSubmit={submit} className="min-w-0">
          <div hidden={reviewing}>
            <BookFields book={book} entry={entry} onBook={setBook} onEntry={chooseEntry} />
            {!byHand && (
              <div className="mt-7">
                <FileDrop
                  ref={picker}
                  label="Excel sheet"
                  kinds={FILE_KINDS}
                  error={error}
                  verb={items.length > 0 ? "Choose more" : "Choose files"}
                  multiple
                  onFiles={choose}
                >
                  <p className="text-ink-2 text-ui">
                    Drop files here, or choose them.
                    <span className="block text-data text-ink-3">
                      XLSX, XLS or CSV, up to 32 MiB each, {MAX_FILES} at once
                    </span>
                  </p>
                </FileDrop>
              </div>
            )}
          </div>
          <FileList importing={importing} shown={shown} onRemoved={() => picker.current?.focus()} />
          {!byHand && !reviewing && !answersFirst && (
            <Button type="submit" pending={isBusy(items)} className="mt-7 h-12 w-full sm:h-11 sm:w-auto">
              Submit Trades
            </Button>
          )}
        </form>
        {!byHand && !reviewing && (
          <div className="lg:pt-10">
            <BrokerHint {...book} />
          </div>
        )}
      </div>
      {inPhase(items, "review").length > 0 && !isBusy(items) && (
        <ImportReview importing={importing} shown={shown} />
      )}
      {byHand && shown && <div className="mt-10">{manual.table(book)}</div>}
      {manual.question(asked, cancelManual)}
    </>
  );
}

type BookFieldsProps = {
  book: Book;
  entry: string;
  onBook: (book: Book) => void;
  onEntry: (entry: string) => void;
};

function BookFields({ book, entry, onBook, onEntry }: BookFieldsProps) {
  const change = (broker: string, tradetype: string) => onBook(toBook(broker, tradetype) ?? book);
  return (
    <div className="grid gap-x-5 sm:grid-cols-2">
      <Field label="Broker">
        {(props) => (
          <Select
            {...props}
            name="broker"
            options={BROKERS}
            value={book.broker}
            onChange={({ currentTarget }) => change(currentTarget.value, book.tradetype)}
          />
        )}
      </Field>
      <Field label="Trade type">
        {(props) => (
          <Select
            {...props}
            name="tradetype"
            options={TRADE_TYPES}
            value={book.tradetype}
            onChange={({ currentTarget }) => change(book.broker, currentTarget.value)}
          />
        )}
      </Field>
      <Field label="Entry type" className="sm:col-span-2">
        {(props) => (
          <Select
            {...props}
            name="entry"
            options={ENTRY_TYPES}
            value={entry}
            onChange={({ currentTarget }) => onEntry(currentTarget.value)}
          />
        )}
      </Field>
    </div>
  );
}

/** From the first look until what was looked at is in: the form stays away while it is stored. */
function useReviewing({ items }: Importing): boolean {
  const [before, setBefore] = useState(false);
  const now = inPhase(items, "review").length > 0 || (before && isBusy(items));
  if (now !== before) setBefore(now);
  return now;
}
