import type { Finding } from "#features/import/findings.ts";

const AS_IT_COMES =
  "A spreadsheet program may have changed the cell: upload the file as it comes from the broker.";

/** By the end of the code: the beginning names the field. */
const ENDINGS: readonly (readonly [string, string])[] = [
  ["_not_a_number", "Put the figure of the broker there, such as 75 or 1421.30."],
  ["_not_positive", "Put the figure of the broker there. It is above 0, for a sale too."],
  ["_not_whole", "Put the whole number there that the broker shows."],
  ["_too_large", "Compare the figure with the broker's."],
  ["side_unknown", "Put buy or sell there."],
  ["exchange_unknown", "Put NSE or BSE there."],
  ["segment_unknown", "Put EQ for shares, FO for futures and options there; other segments cannot be kept."],
  ["date_in_future", "Compare the date with the broker's: day and month may have changed places."],
  ["_missing", "Fill the cell in as the broker's own report has it."],
  ["_invalid", AS_IT_COMES],
];

/** What the trader can do about a row that stays out. What goes in needs no cure. */
export function cureFor({ kind, code }: Pick<Finding, "kind" | "code">): string {
  if (kind === "warning") return "";
  return (
    ENDINGS.find(([ending]) => code.endsWith(ending))?.[1] ?? "Compare the row with the broker's own report."
  );
}
