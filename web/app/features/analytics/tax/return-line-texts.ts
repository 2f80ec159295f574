import type { Schemas } from "#lib/api.ts";

export type TaxPack = Schemas["TaxPack"];
export type ReturnLine = Schemas["ReturnLine"];
export type Return = Pick<TaxPack, "returnForm" | "hasReturnLines" | "returnLines">;

/** Returns the headline of the card. */
export function returnTitle({ returnForm }: Return): string {
  return returnForm ? `Lines of the return: ${returnForm}` : "Lines of the return: choose a person";
}

/** Says why the form is the right one, or why there are no lines. `trader` is their name if somebody else reads it. */
export function returnText({ returnForm, hasReturnLines, returnLines }: Return, trader?: string): string {
  if (!returnForm) {
    const advice = trader
      ? `Ask ${trader} for a link for each person.`
      : "Choose a person or an account at Accounts.";
    return `A return is that of one person. ${advice}`;
  }
  const reason =
    returnForm === "ITR-3"
      ? "Intraday trades, futures and options are a business, so the year needs ITR-3."
      : "Without intraday trades, futures and options the year needs ITR-2, if there is no other business.";
  if (!hasReturnLines)
    return `${reason} The lines of ${returnForm} are not available for this year, or for delivered shares that count as business.`;
  return returnLines.length === 0 ? `${reason} No figure of the year goes into it.` : reason;
}

/** Returns what to know before the amounts are entered. */
export function returnNotes({ returnForm, returnLines }: Return): string[] {
  const notes: [boolean, string][] = [
    [true, "Amounts are rounded to rupees, so a total can differ from its parts by a rupee."],
    [true, "The portal fills totals and set-offs itself. Compare them with these lines."],
    [
      returnForm === "ITR-3",
      "Fill either the Trading Account, if you keep books of account, or item 65 of Part A-P&L. The income in the Trading Account is after all charges.",
    ],
    [
      returnLines.some(({ schedule }) => schedule.endsWith("table F")),
      "Table F: losses reduce the earliest gains of the year first. The form does not say which.",
    ],
    [
      returnLines.some(({ verified }) => !verified),
      "Check: we know this line from memory or from one source only. Compare it with the form before you enter the amount.",
    ],
  ];
  return notes.filter(([applies]) => applies).map(([, note]) => note);
}

/** Returns the lines of each schedule, in the order of the form. */
export function bySchedule(lines: readonly ReturnLine[]): [schedule: string, lines: ReturnLine[]][] {
  const groups = new Map<string, ReturnLine[]>();
  for (const line of lines) groups.set(line.schedule, [...(groups.get(line.schedule) ?? []), line]);
  return [...groups];
}
