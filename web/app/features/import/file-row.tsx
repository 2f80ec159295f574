import { Check, CircleAlert, FileSpreadsheet, X } from "lucide-react";
import { lazy, memo, type ReactNode, Suspense, useEffect, useRef } from "react";
import type { ImportItem } from "#features/import/import-item.ts";
import { ImportProgress, ImportWait } from "#features/import/import-progress.tsx";
import { LayoutOffer } from "#features/import/layout-offer.tsx";
import { PasswordForm } from "#features/import/password-form.tsx";
import { checkedText, mismatchText } from "#features/import/preview-text.ts";
import type { FileImports } from "#features/import/use-import.ts";
import { fileSize } from "#lib/format.ts";
import { importTitle } from "#lib/import-title.ts";
import { Button, IconButton } from "#ui/button.tsx";

const LedgerReview = lazy(async () => ({
  default: (await import("#features/import/ledger-review.tsx")).LedgerReview,
}));

type MapProps = {
  /** Opens the question about the columns of a file. */
  onMap: (id: number) => void;
};

export type FileRowProps = MapProps & {
  item: ImportItem;
  fileImports: FileImports;
  /** Moves the focus to the question of this file. */
  focusQuestion: boolean;
  onRemove: () => void;
};

/** Chosen file with its name, status and buttons. Drawn again only if its item changes: there may be hundreds. */
export const FileRow = memo(
  FileRowContent,
  (before, now) => before.item === now.item && before.focusQuestion === now.focusQuestion,
);

function FileRowContent({ item, fileImports, focusQuestion, onRemove, onMap }: FileRowProps) {
  const { name, file } = item;
  const line = useRef<HTMLLIElement>(null);
  // The pressed button disappears, so the focus moves to the row.
  const runAndFocusRow = (action: () => void) => {
    action();
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
          <FileStatus item={item} focusQuestion={focusQuestion} />
        </div>
        <div className="flex flex-wrap gap-2 empty:hidden md:col-start-2">
          <RowActions item={item} fileImports={fileImports} run={runAndFocusRow} onMap={onMap} />
        </div>
        {item.state.phase === "ledger" && file && (
          <div className="md:col-span-2">
            <Suspense fallback={<p role="status">Reading the ledger</p>}>
              <LedgerReview
                file={file}
                added={item.state.added}
                onImported={(added) => fileImports.finishLedger(item.id, added)}
              />
            </Suspense>
          </div>
        )}
      </div>
      <div className="shrink-0 max-md:absolute max-md:top-3 max-md:right-3">
        <RowEndAction item={item} fileImports={fileImports} run={runAndFocusRow} onRemove={onRemove} />
      </div>
    </li>
  );
}

function FileStatus({ item, focusQuestion }: { item: ImportItem; focusQuestion: boolean }) {
  const { book, state, preview } = item;
  switch (state.phase) {
    case "chosen":
      return null;
    case "queued":
      return <ImportWait seconds={undefined} />;
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
      return <MismatchQuestion text={mismatchText(book, state.detected).question} focus={focusQuestion} />;
    case "review":
      return (
        <StatusLine
          mark={<Check size={17} strokeWidth={2.25} className="mt-0.5 shrink-0 text-gain" aria-hidden />}
        >
          <strong className="font-semibold">Checked.</strong> {preview && checkedText(preview)}
        </StatusLine>
      );
    case "ledger":
      return (
        <StatusLine>
          <strong className="font-semibold">This is a ledger.</strong>{" "}
          <span className="text-ink-2">It shows the costs outside trades.</span>
        </StatusLine>
      );
    case "done":
      return (
        <StatusLine
          mark={<Check size={17} strokeWidth={2.25} className="mt-0.5 shrink-0 text-gain" aria-hidden />}
        >
          <strong className="font-semibold">Imported.</strong> {importTitle(state.report)}
        </StatusLine>
      );
    case "failed":
      return (
        <StatusLine
          role="alert"
          mark={<CircleAlert size={17} strokeWidth={2} className="mt-0.5 shrink-0 text-loss" aria-hidden />}
        >
          <strong className="font-medium text-loss">{state.failure.title}</strong>{" "}
          <span className="text-ink-2">{state.failure.text}</span>
        </StatusLine>
      );
    case "cancelled":
      return (
        <StatusLine role="status">
          <strong className="font-semibold">The upload was cancelled.</strong>{" "}
          <span className="text-ink-2">{state.text}</span>
        </StatusLine>
      );
  }
}

type SettledProps = { role?: "alert" | "status"; mark?: ReactNode; children: ReactNode };

function StatusLine({ role, mark, children }: SettledProps) {
  return (
    <p role={role} className="flex gap-2 text-ui">
      {mark}
      <span className="min-w-0 break-words">{children}</span>
    </p>
  );
}

function MismatchQuestion({ text, focus }: { text: string; focus: boolean }) {
  const paragraph = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (focus) paragraph.current?.focus();
  }, [focus]);
  return (
    <p ref={paragraph} tabIndex={-1} className="text-ui">
      <strong className="font-semibold text-warn">{text}</strong>{" "}
      <span className="text-ink-2">Not imported yet.</span>
    </p>
  );
}

type RowActionsProps = Pick<FileRowProps, "item" | "fileImports"> & {
  /** Runs an action whose button disappears. */
  run: (action: () => void) => void;
};

function RowActions({
  item: { id, name, book, state, file },
  fileImports,
  run,
  onMap,
}: RowActionsProps & MapProps) {
  if (state.phase === "mismatch") {
    return (
      <>
        <Button size="sm" onClick={() => run(() => fileImports.confirm(id))} className="max-sm:w-full">
          {mismatchText(book, state.detected).confirmLabel}
        </Button>
        <Button
          size="sm"
          variant="secondary"
          onClick={() => run(() => fileImports.cancel(id))}
          className="max-sm:w-full"
        >
          Cancel
        </Button>
      </>
    );
  }
  if (state.phase === "failed" && state.failure.needsPassword)
    return <PasswordForm name={name} onSubmit={(password) => run(() => fileImports.unlock(password))} />;
  if (state.phase === "failed" && state.failure.hasLayout && file)
    return <LayoutOffer file={file} password={() => fileImports.passwordOf(id)} />;
  if (state.phase === "failed" && state.failure.mappable && file) {
    return (
      <Button size="sm" variant="secondary" onClick={() => onMap(id)}>
        Map columns
      </Button>
    );
  }
  if (state.phase === "failed" && state.failure.retry) {
    return (
      <Button size="sm" variant="secondary" onClick={() => run(() => fileImports.retry(id))}>
        Retry
      </Button>
    );
  }
  return null;
}

function RowEndAction({
  item: { id, name, state },
  fileImports,
  run,
  onRemove,
}: RowActionsProps & Pick<FileRowProps, "onRemove">) {
  const { phase } = state;
  if (phase === "mismatch" || phase === "done") return null;
  if (phase === "queued" || phase === "waiting" || phase === "sending" || phase === "storing") {
    return (
      <Button
        size="sm"
        variant="secondary"
        aria-label={`Cancel ${name}`}
        onClick={() => run(() => fileImports.cancel(id))}
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
