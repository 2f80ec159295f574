import { uniteLabels } from "#features/trader-journal/journal-entry.ts";
import { positionSubject } from "#features/trader-journal/journal-subject.ts";
import type { Position } from "#features/trader-journal/position-facts.ts";
import { suggestedContent } from "#features/trader-journal/use-subject-entry.ts";
import type { Schemas } from "#lib/api.ts";
import { count, dateTime, inrPrice } from "#lib/format.ts";

export type Addition = Schemas["JournalAddition"];
export type NotedTrade = Pick<
  Schemas["Trade"],
  | "_id"
  | "type"
  | "quantity"
  | "price"
  | "timestamp"
  | "timePrecision"
  | "notes"
  | "psychology"
  | "marketOutlook"
>;

const MAX_TAGS = 20;
const MAX_LABEL_CHARS = 40;
const MAX_NOTE_CHARS = 20_000;
/** Maximum number of additions in a request. */
const MAX_ADDITIONS = 100;
/** Maximum length of the notes of a request. Its body may have 512 KiB, and a character takes up to six bytes. */
const MAX_REQUEST_CHARS = 80_000;

/** Returns the texts of a trade as a part of the note of its position. */
export function tradeNote(trade: NotedTrade): string {
  const { type, quantity, price, timestamp, timePrecision, notes, psychology, marketOutlook } = trade;
  const at = dateTime(timestamp, timePrecision === "day" ? "day" : "minute");
  const head = `**${type === "buy" ? "Bought" : "Sold"} ${count(quantity)} at ${inrPrice(price)}, ${at}**`;
  const texts = [
    notes,
    psychology && `Psychology: ${psychology}`,
    marketOutlook && `Market outlook: ${marketOutlook}`,
  ];
  return [head, ...texts.filter(Boolean)].join("\n\n").slice(0, MAX_NOTE_CHARS);
}

/** Returns the tags of a note: its words that begin with #. */
export function noteTags(notes: string): string[] {
  const tags = [...notes.matchAll(/(?<![\p{L}\p{N}_])#([\p{L}\p{M}\p{N}_-]+)/gu)].map(([, tag]) => tag ?? "");
  return uniteLabels([], tags).filter((tag) => tag.length <= MAX_LABEL_CHARS);
}

/** Returns an addition for each position, with the notes of its trades in their order. */
export function positionAdditions(
  trades: readonly NotedTrade[],
  positionOf: (trade: NotedTrade) => Position | undefined,
): Addition[] {
  const additions = new Map<string, Addition>();
  for (const trade of trades) {
    const position = positionOf(trade);
    if (!position) continue;
    const { setup, emotion } = suggestedContent(position);
    const earlier = additions.get(position.id);
    additions.set(position.id, {
      ...positionSubject(position),
      setup,
      emotion,
      texts: [...(earlier?.texts ?? []), tradeNote(trade)],
      tags: uniteLabels(earlier?.tags ?? [], noteTags(trade.notes ?? "")).slice(0, MAX_TAGS),
    });
  }
  return [...additions.values()];
}

/** Splits additions into requests within the limits. */
export function splitAdditions(additions: readonly Addition[]): Addition[][] {
  const requests: Addition[][] = [];
  let current: Addition[] = [];
  let chars = 0;
  for (const addition of additions.flatMap(splitTexts)) {
    const length = charsOf(addition);
    const isFull = current.length === MAX_ADDITIONS || chars + length > MAX_REQUEST_CHARS;
    if (current.length > 0 && (isFull || current.some(({ key }) => key === addition.key))) {
      requests.push(current);
      [current, chars] = [[], 0];
    }
    current.push(addition);
    chars += length;
  }
  if (current.length > 0) requests.push(current);
  return requests;
}

/** Splits an addition whose texts exceed a request. */
function splitTexts(addition: Addition): Addition[] {
  const parts: Addition[] = [{ ...addition, texts: [] }];
  for (const text of addition.texts ?? []) {
    const last = parts.at(-1);
    if (!last || (charsOf(last) > 0 && charsOf(last) + text.length > MAX_REQUEST_CHARS))
      parts.push({ ...addition, texts: [text] });
    else last.texts?.push(text);
  }
  return parts;
}

function charsOf({ texts = [] }: Addition): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}
