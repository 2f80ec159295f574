import type { ImportItem } from "#features/import/import-item.ts";
import { countDecisions, type Preview } from "#features/import/preview.ts";
import { type Book, bookName, brokerAccountName, brokerName, tradeTypeName } from "#lib/books.ts";
import { count, plural } from "#lib/format.ts";
import { period } from "#lib/period.ts";

/** Describes a file: "Zerodha tradebook · Zerodha, Equity · 1 Apr to 20 Jun 2025 · 412 rows". */
export function fileDescription(preview: Preview): string {
  const { formatTitle, from, to, rows } = preview;
  return [formatTitle, bookName(preview), period(from, to), plural(rows, "row")].filter(Boolean).join(" · ");
}

/** Returns the heading for a file from an account with the broker that no earlier file was from. */
export function otherAccountTitle({ broker, clientCode, holder }: Preview): string {
  const person = holder ? ` of ${holder}` : "";
  return `This file is from another ${brokerName(broker)} account: client code ${clientCode}${person}`;
}

/** Returns what the import of such a file does. */
export function otherAccountText(preview: Preview): string {
  const name = brokerAccountName(preview);
  return `Its trades are kept apart, as ${name}: own positions, charges and tax. You can name the account under Account, Data. If the file is not yours, press Cancel.`;
}

/** Returns the counts of a checked file: "825 new, 264 already there, 2 conflicts, 4 skipped". */
export function checkedText({ added, duplicates, conflictTotal, rejectedTotal }: Preview): string {
  const there = duplicates - conflictTotal;
  return [
    `${count(added)} new`,
    there > 0 && `${count(there)} already there`,
    conflictTotal > 0 && plural(conflictTotal, "conflict"),
    rejectedTotal > 0 && `${count(rejectedTotal)} skipped`,
  ]
    .filter(Boolean)
    .join(", ");
}

/** Totals of all files in review: new trades, those already there, skipped rows, decisions on conflicts, and notes. */
export type ReviewTotals = {
  added: number;
  existing: number;
  skipped: number;
  keep: number;
  take: number;
  undecided: number;
  /** Contract notes, whose charges are stored. */
  notes: number;
  /** Days whose charges the files state with their trades. */
  chargeDays: number;
};

export function reviewTotals(items: readonly Pick<ImportItem, "preview" | "choices">[]): ReviewTotals {
  const totals: ReviewTotals = {
    added: 0,
    existing: 0,
    skipped: 0,
    keep: 0,
    take: 0,
    undecided: 0,
    notes: 0,
    chargeDays: 0,
  };
  for (const { preview, choices } of items) {
    if (!preview) continue;
    const { keep, take, undecided } = countDecisions(preview, choices);
    totals.added += preview.added;
    totals.notes += preview.contractNotes;
    totals.chargeDays += preview.daysWithCharges;
    totals.existing += preview.duplicates - preview.conflictTotal;
    totals.skipped += preview.rejectedTotal;
    totals.keep += keep;
    totals.take += take;
    totals.undecided += undecided;
  }
  return totals;
}

/** Returns "833 trades will be imported. The tradebook states the charges of 20 days." */
export function addedText({ added, notes, chargeDays }: ReviewTotals): string {
  const sentences = [
    added === 0 ? "No new trades." : `${plural(added, "trade")} will be imported.`,
    notes > 0 && `Charges come from ${plural(notes, "contract note")}.`,
    chargeDays > 0 && `The tradebook states the charges of ${plural(chargeDays, "day")}.`,
  ];
  return sentences.filter(Boolean).join(" ");
}

/** Returns "264 are already there, 4 rows are skipped, 1 uses the broker's values, 2 stay as they are." */
export function restText({ existing, skipped, keep, take, undecided }: ReviewTotals): string {
  const parts = [
    existing > 0 && `${plural(existing, "is", "are")} already there`,
    skipped > 0 && `${plural(skipped, "row is", "rows are")} skipped`,
    take > 0 && `${plural(take, "uses", "use")} the broker's values`,
    keep > 0 && `${plural(keep, "stays as it is", "stay as they are")}`,
    undecided > 0 &&
      `${plural(undecided, "is not decided and stays as it is", "are not decided and stay as they are")}`,
  ].filter((part) => part !== false);
  return parts.length > 0 ? `${parts.join(", ")}.` : "";
}

/** Returns the label of the import button. */
export function importLabel({ added, take, notes, chargeDays }: ReviewTotals): string {
  if (added > 0) return `Import ${plural(added, "trade")}`;
  if (notes + chargeDays > 0 && take === 0) return "Use charges";
  return take > 0 ? `Correct ${plural(take, "trade")}` : "Finish";
}

/** Returns the question about a file of another book than selected, and the label of the button that confirms it. */
export function mismatchText(selected: Book, detected: Book): { question: string; confirmLabel: string } {
  const broker = brokerName(detected.broker);
  const tradeType = tradeTypeName(detected.tradetype);
  if (selected.tradetype === detected.tradetype) return importAs(`a ${broker} file`, broker);
  if (selected.broker === detected.broker) return importAs(`a file of ${tradeType} trades`, tradeType);
  return importAs(`a ${broker} file of ${tradeType} trades`, bookName(detected));
}

function importAs(description: string, name: string) {
  return { question: `This is ${description}. Import it as ${name}?`, confirmLabel: `Import as ${name}` };
}
