import { bookName } from "#content/books.ts";
import type { ImportItem } from "#features/import/import-item.ts";
import { decided, type Preview } from "#features/import/preview.ts";
import { count, plural } from "#lib/format.ts";
import { period } from "#lib/period.ts";

/** What the file is: "Zerodha tradebook · Zerodha, Equity · 1 Apr to 20 Jun 2025 · 412 rows". */
export function previewSource(preview: Preview): string {
  const { formatTitle, from, to, rows } = preview;
  return [formatTitle, bookName(preview), period(from, to), plural(rows, "row")].filter(Boolean).join(" · ");
}

/** In a line: "825 new, 264 already there, 2 conflicts, 4 left out". */
export function checkedWords({ added, duplicates, conflictTotal, rejectedTotal }: Preview): string {
  const there = duplicates - conflictTotal;
  return [
    `${count(added)} new`,
    there > 0 && `${count(there)} already there`,
    conflictTotal > 0 && plural(conflictTotal, "conflict"),
    rejectedTotal > 0 && `${count(rejectedTotal)} left out`,
  ]
    .filter(Boolean)
    .join(", ");
}

export type Sum = { added: number; there: number; left: number; keep: number; take: number; open: number };

/** Of all files that are looked at. */
export function sumOf(items: readonly Pick<ImportItem, "preview" | "choices">[]): Sum {
  const sum: Sum = { added: 0, there: 0, left: 0, keep: 0, take: 0, open: 0 };
  for (const { preview, choices } of items) {
    if (!preview) continue;
    const { keep, take, open } = decided(preview, choices);
    sum.added += preview.added;
    sum.there += preview.duplicates - preview.conflictTotal;
    sum.left += preview.rejectedTotal;
    sum.keep += keep;
    sum.take += take;
    sum.open += open;
  }
  return sum;
}

/** "833 trades go in." */
export function goesIn({ added }: Sum): string {
  if (added === 0) return "No trade is new.";
  return added === 1 ? "1 trade goes in." : `${count(added)} trades go in.`;
}

/** "264 are already there, 4 rows stay out, 1 takes the broker's figures, 2 stay as they are." */
export function staysOut({ there, left, keep, take, open }: Sum): string {
  const parts = [
    there > 0 && `${plural(there, "is", "are")} already there`,
    left > 0 && `${plural(left, "row stays", "rows stay")} out`,
    take > 0 && `${plural(take, "takes", "take")} the broker's figures`,
    keep > 0 && `${plural(keep, "stays as it is", "stay as they are")}`,
    open > 0 &&
      `${plural(open, "is not decided and stays as it is", "are not decided and stay as they are")}`,
  ].filter((part) => part !== false);
  return parts.length > 0 ? `${parts.join(", ")}.` : "";
}

/** On the button: what a press does. */
export function importWord({ added, take }: Sum): string {
  if (added > 0) return `Import ${plural(added, "trade")}`;
  return take > 0 ? `Correct ${plural(take, "trade")}` : "Finish";
}
