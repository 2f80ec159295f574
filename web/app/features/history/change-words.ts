import { plural } from "#lib/format.ts";
import type { Change } from "#lib/undo-change.ts";

type Told = Pick<Change, "kind" | "added" | "removed" | "symbol"> & {
  import?: Pick<NonNullable<Change["import"]>, "fileName" | "duplicates">;
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
      const duplicates = change.import?.duplicates ?? 0;
      const already = duplicates > 0 ? `, ${plural(duplicates, "was", "were")} already there` : "";
      return `${added === 0 ? "No trades" : plural(added, "trade")} added${already}`;
    }
    case "entry":
      return `${trades(added, symbol)} added`;
    case "replace":
      if (isFirstEntry({ kind, removed })) return `${trades(added, symbol)} added`;
      return `${plural(removed, "trade")} replaced by ${added}`;
    case "edit":
      return `${trades(Math.max(added, 1), symbol)} edited`;
    case "delete":
      return `${trades(removed, symbol)} deleted`;
  }
}

/** What undoing it does beyond itself; empty when nothing. */
export function newerWords(newer: number): string {
  return newer > 0 ? `This also undoes ${plural(newer, "newer change")} of this book.` : "";
}

function trades(many: number, symbol: string | undefined): string {
  return symbol ? `${plural(many, "trade")} of ${symbol}` : plural(many, "trade");
}
