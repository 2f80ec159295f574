import { count, duration, plural } from "#lib/format.ts";
import { importTitle } from "#lib/import-title.ts";
import type { Change } from "#lib/undo-change.ts";

export type Imported = NonNullable<Change["import"]>;

type Told = Pick<Change, "kind" | "added" | "removed" | "symbol"> & {
  import?: Imported;
};

const KIND_WORDS: Readonly<Record<Change["kind"], string>> = {
  import: "Import",
  entry: "Entry",
  replace: "Replace",
  edit: "Edit",
  delete: "Delete",
};

/** The first entry of an empty book replaces it, which is nothing to its trader. */
const isFirstEntry = ({ kind, removed }: Pick<Change, "kind" | "removed">) =>
  kind === "replace" && removed === 0;

export function kindWord(change: Pick<Change, "kind" | "removed">): string {
  return KIND_WORDS[isFirstEntry(change) ? "entry" : change.kind];
}

/** What was done, in one line: "412 trades added, 264 were already there". */
export function changeTitle({ kind, added, removed, symbol, ...change }: Told): string {
  switch (kind) {
    case "import": {
      const { duplicates = 0, corrected = 0, conflicts = 0, rejected } = change.import ?? {};
      return importTitle({
        added,
        duplicates,
        corrected,
        conflictTotal: conflicts,
        rejectedTotal: rejected ?? 0,
      });
    }
    case "entry":
      return `${trades(added, symbol)} added`;
    case "replace":
      if (isFirstEntry({ kind, removed })) return `${trades(added, symbol)} added`;
      return `${plural(removed, "trade")} replaced by ${count(added)}`;
    case "edit":
      return `${trades(Math.max(added, 1), symbol)} edited`;
    case "delete":
      return `${trades(removed, symbol)} deleted`;
  }
}

/** "680 rows, 8 warnings, read and stored in 1.2 seconds"; what was not noted is left out. */
export function fileWords({
  rows,
  warnings,
  durationMs,
}: Pick<Imported, "rows" | "warnings" | "durationMs">): string {
  return [
    rows !== null && plural(rows, "row"),
    warnings > 0 && plural(warnings, "warning"),
    durationMs !== null && `read and stored in ${duration(durationMs)}`,
  ]
    .filter(Boolean)
    .join(", ");
}

/** What undoing it does beyond itself; empty when nothing. */
export function newerWords(newer: number): string {
  return newer > 0 ? `This also undoes ${plural(newer, "newer change")} of this book.` : "";
}

function trades(many: number, symbol: string | undefined): string {
  return symbol ? `${plural(many, "trade")} of ${symbol}` : plural(many, "trade");
}
