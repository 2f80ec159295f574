import * as v from "valibot";
import type { Trade, TradeEdit } from "#features/trade-detail/trade-requests.ts";
import { stopLossField } from "#lib/trade-fields.ts";

export const NOTES = [
  { key: "notes", label: "Notes", placeholder: "Why this trade? What would you do again?" },
  { key: "psychology", label: "Psychology", placeholder: "Calm, rushed, afraid to miss it?" },
  { key: "marketOutlook", label: "Market outlook", placeholder: "Where did you see the market going?" },
] as const;

export type NoteKey = (typeof NOTES)[number]["key"] | "stopLoss";
/** Edited notes; contains only the notes that were edited. */
export type NoteDraft = Partial<Record<NoteKey, string>>;

export function isNoteKey(name: string): name is NoteKey {
  return name === "stopLoss" || NOTES.some(({ key }) => key === name);
}

/** Returns a message if the draft is invalid. Only the stop loss can be. */
export function noteError(draft: NoteDraft): string | undefined {
  const stopLoss = v.safeParse(stopLossField, draft.stopLoss ?? "");
  return stopLoss.issues?.[0].message;
}

/** Returns the request body with the notes that differ from the trade; undefined if none does. */
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
