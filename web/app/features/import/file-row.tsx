import { Check, CircleAlert, FileSpreadsheet, X } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import type { ImportItem } from "#features/import/import-item.ts";
import { ImportProgress, ImportWait } from "#features/import/import-progress.tsx";
import { mismatchWords } from "#features/import/mismatch-words.ts";
import { checkedWords } from "#features/import/preview-words.ts";
import type { Importing } from "#features/import/use-import.ts";
import { fileSize } from "#lib/format.ts";
import { importTitle } from "#lib/import-title.ts";
import { Button, IconButton } from "#ui/button.tsx";

export type FileRowProps = {
  item: ImportItem;
  importing: Importing;
  /** Its question is the one to answer next, and takes the focus. */
  asksNext: boolean;
  onRemove: () => void;
};

/** A file: its name, how far it is or what became of it, and what can be done about it. */
export function FileRow({ item, importing, asksNext, onRemove }: FileRowProps) {
  const { name, file } = item;
  const line = useRef<HTMLLIElement>(null);
  // The button that was pressed is gone then.
  const after = (act: () => void) => {
    act();
    line.current?.focus();
  };
  return (
    <li
      ref={line}
      tabIndex={-1}
      className="relative flex gap-x-3.5 border-line border-b py-3 pr-3 pl-4 last:border-b-0 sm:pl-5"
    >
      <FileSpreadsheet size={22} strokeWidth={1.5} className="mt-2 shrink-0 text-ink-3" aria-hidden />
      <div className="grid min-w-0 flex-1 items-start gap-x-5 gap-y-2 md:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <div className="flex min-h-10 min-w-0 flex-col justify-center max-md:pr-22">
          <p className="break-words font-semibold text-ui leading-tight">{name}</p>
          {file && <p className="figures text-data text-ink-3">{fileSize(file.size)}</p>}
        </div>
        <div className="flex min-w-0 flex-col justify-center empty:hidden md:min-h-10">
          <Progressing item={item} asksNext={asksNext} />
        </div>
        <div className="flex flex-wrap gap-2 empty:hidden md:col-start-2">
          <Answers item={item} importing={importing} after={after} />
        </div>
      </div>
      <div className="shrink-0 max-md:absolute max-md:top-3 max-md:right-3">
        <RowEnd item={item} importing={importing} after={after} onRemove={onRemove} />
      </div>
    </li>
  );
}

function Progressing({ item, asksNext }: { item: ImportItem; asksNext: boolean }) {
  const { book, state, preview } = item;
  switch (state.phase) {
    case "chosen":
      return null;
    case "waiting":
      return <ImportWait seconds={state.seconds} />;
    case "sending":
    case "storing":
      return (
        <div>
          <ImportProgress item={item} />
        </div>
      );
    case "mismatch":
      return <Question words={mismatchWords(book, state.found).question} next={asksNext} />;
    case "review":
      return (
        <Settled
          mark={<Check size={17} strokeWidth={2.25} className="mt-0.5 shrink-0 text-gain" aria-hidden />}
        >
          <strong className="font-semibold">Checked.</strong> {preview && checkedWords(preview)}
        </Settled>
      );
    case "done":
      return (
        <Settled
          mark={<Check size={17} strokeWidth={2.25} className="mt-0.5 shrink-0 text-gain" aria-hidden />}
        >
          <strong className="font-semibold">Imported.</strong> {importTitle(state.report)}
        </Settled>
      );
    case "failed":
      return (
        <Settled
          role="alert"
          mark={<CircleAlert size={17} strokeWidth={2} className="mt-0.5 shrink-0 text-loss" aria-hidden />}
        >
          <strong className="font-medium text-loss">{state.failure.title}</strong>{" "}
          <span className="text-ink-2">{state.failure.text}</span>
        </Settled>
      );
    case "cancelled":
      return (
        <Settled role="status">
          <strong className="font-semibold">The upload was cancelled.</strong>{" "}
          <span className="text-ink-2">{state.text}</span>
        </Settled>
      );
  }
}

type SettledProps = { role?: "alert" | "status"; mark?: ReactNode; children: ReactNode };

function Settled({ role, mark, children }: SettledProps) {
  return (
    <p role={role} className="flex gap-2 text-ui">
      {mark}
      <span className="min-w-0 break-words">{children}</span>
    </p>
  );
}

function Question({ words, next }: { words: string; next: boolean }) {
  const text = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (next) text.current?.focus();
  }, [next]);
  return (
    <p ref={text} tabIndex={-1} className="text-ui">
      <strong className="font-semibold text-warn">{words}</strong>{" "}
      <span className="text-ink-2">Nothing is stored yet.</span>
    </p>
  );
}

type RowPart = Pick<FileRowProps, "item" | "importing"> & { after: (act: () => void) => void };

function Answers({ item: { id, book, state }, importing, after }: RowPart) {
  if (state.phase === "mismatch") {
    return (
      <>
        <Button size="sm" onClick={() => after(() => importing.confirm(id))} className="max-sm:w-full">
          {mismatchWords(book, state.found).yes}
        </Button>
        <Button
          size="sm"
          variant="secondary"
          onClick={() => after(() => importing.cancel(id))}
          className="max-sm:w-full"
        >
          Cancel
        </Button>
      </>
    );
  }
  if (state.phase === "failed" && state.failure.retry) {
    return (
      <Button size="sm" variant="secondary" onClick={() => after(() => importing.retry(id))}>
        Retry
      </Button>
    );
  }
  return null;
}

function RowEnd({
  item: { id, name, state },
  importing,
  after,
  onRemove,
}: RowPart & Pick<FileRowProps, "onRemove">) {
  const { phase } = state;
  if (phase === "mismatch" || phase === "done") return null;
  if (phase === "waiting" || phase === "sending" || phase === "storing") {
    return (
      <Button
        size="sm"
        variant="secondary"
        aria-label={`Cancel ${name}`}
        onClick={() => after(() => importing.cancel(id))}
        className="px-3.5!"
      >
        Cancel
      </Button>
    );
  }
  return (
    <IconButton label={`Remove ${name}`} onClick={onRemove} className="-my-0.5">
      <X size={18} aria-hidden />
    </IconButton>
  );
}
