import * as v from "valibot";
import type { Trade, TradeEdit } from "#features/trade-detail/trade-requests.ts";
import { stopLossField } from "#lib/trade-fields.ts";

export const NOTES = [
  { key: "notes", label: "Notes", ask: "Why this trade? What would you do again?" },
  { key: "psychology", label: "Psychology", ask: "Calm, rushed, afraid to miss it?" },
  { key: "marketOutlook", label: "Market outlook", ask: "Where did you see the market going?" },
] as const;

export type NoteKey = (typeof NOTES)[number]["key"] | "stopLoss";
/** What was typed; a note that was not touched is not in it. */
export type NoteDraft = Partial<Record<NoteKey, string>>;

export function isNoteKey(name: string): name is NoteKey {
  return name === "stopLoss" || NOTES.some(({ key }) => key === name);
}

/** What is wrong with a note, as far as one sees it here. */
export function brokenNote(draft: NoteDraft): string | undefined {
  const stopLoss = v.safeParse(stopLossField, draft.stopLoss ?? "");
  return stopLoss.issues?.[0].message;
}

/** What differs from the trade, as the server wants it; undefined when nothing does. */
export function changedNotes(trade: Trade, draft: NoteDraft): TradeEdit | undefined {
  const changed: TradeEdit = {};
  for (const { key } of NOTES) {
    const text = draft[key]?.trim();
    if (text !== undefined && text !== (trade[key] ?? "")) changed[key] = text;
  }
  const stopLoss = draft.stopLoss?.trim();
  const price = stopLoss ? Number(stopLoss) : null;
  if (stopLoss !== undefined && price !== (trade.stopLoss ?? null)) changed.stopLoss = price;
  return Object.keys(changed).length > 0 ? changed : undefined;
}
