import { count, duration, plural } from "#lib/format.ts";
import { importTitle } from "#lib/import-title.ts";
import type { Change } from "#lib/undo-change.ts";

export type Imported = NonNullable<Change["import"]>;

type DescribedChange = Pick<Change, "kind" | "added" | "removed" | "symbol"> & {
  import?: Imported;
};

const KIND_LABELS: Readonly<Record<Change["kind"], string>> = {
  import: "Import",
  entry: "Entry",
  replace: "Replace",
  edit: "Edit",
  delete: "Delete",
};

/** Returns true for the first manual entry of an empty book, which the API stores as a replacement. */
const isFirstEntry = ({ kind, removed }: Pick<Change, "kind" | "removed">) =>
  kind === "replace" && removed === 0;

export function kindLabel(change: Pick<Change, "kind" | "removed">): string {
  return KIND_LABELS[isFirstEntry(change) ? "entry" : change.kind];
}

/** Describes a change in one line: "412 trades added, 264 were already there". */
export function changeTitle({ kind, added, removed, symbol, ...change }: DescribedChange): string {
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

/** Describes an imported file: "680 rows, 8 warnings, imported in 1.2 seconds". Unknown values are omitted. */
export function importedFileText({
  rows,
  warnings,
  durationMs,
}: Pick<Imported, "rows" | "warnings" | "durationMs">): string {
  return [
    rows !== null && plural(rows, "row"),
    warnings > 0 && plural(warnings, "warning"),
    durationMs !== null && `imported in ${duration(durationMs)}`,
  ]
    .filter(Boolean)
    .join(", ");
}

/** Returns a warning that newer changes are undone, too; empty if there are none. */
export function newerChangesText(newer: number): string {
  return newer > 0 ? `This also undoes ${plural(newer, "newer change")}.` : "";
}

function trades(many: number, symbol: string | undefined): string {
  return symbol ? `${plural(many, "trade")} of ${symbol}` : plural(many, "trade");
}
