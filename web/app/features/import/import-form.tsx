import clsx from "clsx";
import { type FormEvent, lazy, type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import { BrokerHint } from "#features/import/broker-hint.tsx";
import { FileList } from "#features/import/file-list.tsx";
import { sortByDay } from "#features/import/file-order.ts";
import { fileErrors, MAX_FILES, NO_FILE, TOO_MANY } from "#features/import/file-validation.ts";
import { filesToSubmit, inPhase, isBusy, stepOf } from "#features/import/import-item.ts";
import { BATCH_FILES } from "#features/import/import-queue.ts";
import { ImportReview } from "#features/import/import-review.tsx";
import { ImportSteps } from "#features/import/import-steps.tsx";
import { isArchive, openArchives } from "#features/import/open-archives.ts";
import { type Book, type BookSelection, BROKERS, bookOf, parseSelection, TRADE_TYPES } from "#lib/books.ts";
// Imported only to load it together with the form, so that a lost connection cannot prevent the upload.
import "#features/import/send-import.ts";
import type { FileImports } from "#features/import/use-import.ts";
import { checkTradeFile, TRADE_FILE_KINDS } from "#lib/sheet-file.ts";
import { Button } from "#ui/button.tsx";
import { Field } from "#ui/field.tsx";
import { FileDrop } from "#ui/file-drop.tsx";
import { Select } from "#ui/select.tsx";

const ENTRY_TYPES = [
  { value: "manual", label: "Enter Manually" },
  { value: "excel", label: "Upload Excel Sheet" },
];

/** Manual entry, the other entry type of the form. */
type ManualEntry = {
  /** Book last used for manual entry; the form opens with it. */
  book: Book | undefined;
  onBook: (book: Book) => void;
  onLeave: () => void;
  /** Renders the dialog that confirms manual entry; it is closed if the book is undefined. */
  dialog: (book: Book | undefined, onCancel: () => void) => ReactNode;
  table: (book: Book) => ReactNode;
};

const MappingPanel = lazy(async () => ({
  default: (await import("#features/import/mapping-panel.tsx")).MappingPanel,
}));

export type ImportFormProps = {
  email: string;
  manual: ManualEntry;
  fileImports: FileImports;
  /** True if the panel is visible, so that questions may take the focus. */
  shown: boolean;
};

/** Add Trades form: uploads files from a broker, or leads to manual entry. */
export function ImportForm({ email, manual, fileImports, shown }: ImportFormProps) {
  const { items } = fileImports;
  const [selection, setSelection] = useState<BookSelection>(manual.book ?? {});
  const book = bookOf(selection);
  const [entry, setEntry] = useState(manual.book ? "manual" : "excel");
  const [bookToConfirm, setBookToConfirm] = useState<Book>();
  const [error, setError] = useState<string>();
  const [mappedId, setMappedId] = useState<number>();
  /** Progress of opening a ZIP file; undefined if none is being opened. */
  const [opening, setOpening] = useState<string>();
  const picker = useRef<HTMLInputElement>(null);
  const manualEntry = entry === "manual" && !bookToConfirm;
  const reviewing = useReviewing(fileImports);
  const mapped = inPhase(items, "failed").find(({ id }) => id === mappedId);
  const onlyQuestions = inPhase(items, "mismatch").length > 0 && filesToSubmit(items).length === 0;

  function submit(event: FormEvent) {
    event.preventDefault();
    if (isBusy(items) || opening) return;
    const missing = filesToSubmit(items).length === 0;
    setError(missing ? NO_FILE : undefined);
    if (missing) picker.current?.focus();
    else fileImports.submit(selection);
  }

  const room = () =>
    MAX_FILES - inPhase(items, "chosen", "cancelled", "queued", "waiting", "mismatch", "review").length;

  function choose(files: readonly File[]) {
    if (files.some(isArchive)) void chooseArchives(files);
    else add(files);
  }

  function add(files: readonly File[], messages: readonly string[] = []) {
    const valid = files.filter((file) => !checkTradeFile(file));
    const ordered = valid.length > BATCH_FILES ? sortByDay(valid) : valid;
    fileImports.choose(ordered.slice(0, room()), selection);
    const errors = valid.length > room() ? TOO_MANY : fileErrors(files);
    setError([...messages, errors].filter(Boolean).join(" ") || undefined);
  }

  async function chooseArchives(files: readonly File[]) {
    setError(undefined);
    setOpening("Opening the ZIP file");
    const opened = await openArchives(files, room(), setOpening);
    setOpening(undefined);
    add(opened.files, opened.messages);
  }

  function chooseEntry(chosen: string) {
    setEntry(chosen);
    if (chosen === "manual") {
      // Typed trades need a book.
      setSelection(book);
      setBookToConfirm(book);
    } else manual.onLeave();
  }

  function cancelManual() {
    setBookToConfirm(undefined);
    setEntry("excel");
  }

  // Remembers the book for the next visit.
  const { onBook } = manual;
  const { broker, tradetype } = book;
  useEffect(() => {
    if (manualEntry) onBook({ broker, tradetype });
  }, [manualEntry, broker, tradetype, onBook]);

  // The focused button disappears with the review.
  const wasReviewing = useRef(reviewing);
  useEffect(() => {
    if (wasReviewing.current && !reviewing && shown) picker.current?.focus();
    wasReviewing.current = reviewing;
  }, [reviewing, shown]);

  return (
    <>
      {!manualEntry && (
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
            <BookFields selection={selection} entry={entry} onSelect={setSelection} onEntry={chooseEntry} />
            {!manualEntry && (
              <div className="mt-7">
                <FileDrop
                  ref={picker}
                  label="Excel sheet"
                  kinds={`${TRADE_FILE_KINDS},.zip`}
                  error={error}
                  verb={items.length > 0 ? "Choose more" : "Choose files"}
                  multiple
                  onFiles={choose}
                >
                  <p className="text-ink-2 text-ui">
                    Drop files here, or choose them.
                    <span className="block text-data text-ink-3">
                      XLSX, XLS or CSV up to 32 MiB, contract notes as PDF up to 8 MiB, or a ZIP with such
                      files. At most {MAX_FILES} files at once.
                    </span>
                  </p>
                  <p role="status" className="text-ui empty:hidden">
                    {opening}
                  </p>
                </FileDrop>
              </div>
            )}
          </div>
          <FileList
            fileImports={fileImports}
            shown={shown}
            onRemoved={() => picker.current?.focus()}
            onMap={setMappedId}
          />
          {!manualEntry && !reviewing && !onlyQuestions && (
            <Button
              type="submit"
              pending={isBusy(items) || opening !== undefined}
              className="mt-7 h-12 w-full sm:h-11 sm:w-auto"
            >
              Submit Trades
            </Button>
          )}
        </form>
        {!manualEntry && !reviewing && (
          <div className="lg:pt-10">
            <BrokerHint {...selection} />
          </div>
        )}
      </div>
      {mapped?.file && !manualEntry && !reviewing && (
        <Suspense fallback={<p role="status">Reading the file</p>}>
          <MappingPanel
            key={mapped.id}
            email={email}
            file={mapped.file}
            tradetype={book.tradetype}
            onSaved={() => {
              setMappedId(undefined);
              // Other files of the list may have the same columns.
              const mappable = items.filter(
                ({ state, file }) => file && state.phase === "failed" && state.failure.mappable,
              );
              for (const { id } of mappable) fileImports.retry(id);
            }}
            onCancel={() => {
              setMappedId(undefined);
              fileImports.remove(mapped.id);
              picker.current?.focus();
            }}
          />
        </Suspense>
      )}
      {inPhase(items, "review").length > 0 && !isBusy(items) && (
        <ImportReview fileImports={fileImports} shown={shown} />
      )}
      {manualEntry && shown && <div className="mt-10">{manual.table(book)}</div>}
      {manual.dialog(bookToConfirm, cancelManual)}
    </>
  );
}

type BookFieldsProps = {
  selection: BookSelection;
  entry: string;
  onSelect: (selection: BookSelection) => void;
  onEntry: (entry: string) => void;
};

function BookFields({ selection, entry, onSelect, onEntry }: BookFieldsProps) {
  const { broker = "", tradetype = "" } = selection;
  const change = (newBroker: string, newType: string) => onSelect(parseSelection(newBroker, newType));
  // Typed trades need a book.
  const placeholder = entry === "manual" ? {} : { placeholder: "Detect from the file" };
  return (
    <div className="grid gap-x-5 sm:grid-cols-2">
      <Field label="Broker">
        {(props) => (
          <Select
            {...props}
            name="broker"
            {...placeholder}
            options={BROKERS}
            value={broker}
            onChange={({ currentTarget }) => change(currentTarget.value, tradetype)}
          />
        )}
      </Field>
      <Field label="Trade type">
        {(props) => (
          <Select
            {...props}
            name="tradetype"
            {...placeholder}
            options={TRADE_TYPES}
            value={tradetype}
            onChange={({ currentTarget }) => change(broker, currentTarget.value)}
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

/** Returns true from the start of a review until its files are imported; the form is hidden during that time. */
function useReviewing({ items }: FileImports): boolean {
  const [before, setBefore] = useState(false);
  const now = inPhase(items, "review").length > 0 || (before && isBusy(items));
  if (now !== before) setBefore(now);
  return now;
}
