import { Undo2 } from "lucide-react";
import { changeTitle, type Imported, importedFileText, kindLabel } from "#features/history/change-text.ts";
import { FileDigest } from "#features/history/file-digest.tsx";
import { bookName } from "#lib/books.ts";
import { date, dateTime } from "#lib/format.ts";
import { period } from "#lib/period.ts";
import type { Change } from "#lib/undo-change.ts";
import { Button } from "#ui/button.tsx";

/** Change in the history: kind, description, time and book, with an Undo button while it can be undone. */
export function ChangeEntry({ change, onUndo }: { change: Change; onUndo: () => void }) {
  const { madeAt, undoneAt, undoUntil, import: file } = change;
  return (
    <li className="flex border-line border-b last:border-b-0">
      <div className="w-20 shrink-0 border-rule border-r py-3.5 pl-4 font-semibold text-data sm:w-26 sm:pl-5">
        {kindLabel(change)}
      </div>
      <div className="flex min-w-0 flex-1 flex-wrap items-center justify-between gap-x-6 gap-y-2 px-4 py-3">
        <div className="min-w-0 flex-1 basis-56">
          <p className={undoneAt ? "text-ink-3 line-through" : "font-semibold"}>{changeTitle(change)}</p>
          <p className="figures text-data text-ink-2">
            {dateTime(madeAt)} · {bookName(change)}
          </p>
          {file && <ImportedFile file={file} />}
        </div>
        {undoneAt && <p className="text-data text-ink-2">Undone on {date(undoneAt)}</p>}
        {!undoneAt && !undoUntil && <p className="text-data text-ink-3">Can no longer be undone</p>}
        {!undoneAt && undoUntil && (
          <Button
            size="sm"
            variant="secondary"
            icon={<Undo2 size={16} aria-hidden />}
            aria-label={`Undo: ${changeTitle(change)}`}
            title={`Until ${date(undoUntil)}`}
            onClick={onUndo}
          >
            Undo
          </Button>
        )}
      </div>
    </li>
  );
}

function ImportedFile({ file }: { file: Imported }) {
  return (
    <div className="mt-1 text-data text-ink-2">
      <p className="break-words">{[file.fileName, period(file.from, file.to)].filter(Boolean).join(" · ")}</p>
      <p className="figures flex flex-wrap items-center gap-x-2">
        {importedFileText(file)}
        <FileDigest sha256={file.sha256} />
      </p>
    </div>
  );
}
