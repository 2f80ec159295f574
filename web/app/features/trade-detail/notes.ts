import type { Trade, TradeEdit } from "#features/trade-detail/trade-requests.ts";

export const NOTES = [
  { key: "notes", label: "Notes", ask: "Why this trade? What would you do again?" },
  { key: "psychology", label: "Psychology", ask: "Calm, rushed, afraid to miss it?" },
  { key: "marketOutlook", label: "Market outlook", ask: "Where did you see the market going?" },
] as const;

export type NoteKey = (typeof NOTES)[number]["key"];
/** What was typed; a note that was not touched is not in it. */
export type NoteDraft = Partial<Record<NoteKey, string>>;

/** What differs from the trade, as the server wants it; undefined when nothing does. */
export function changedNotes(trade: Trade, draft: NoteDraft): TradeEdit | undefined {
  const changed: NoteDraft = {};
  for (const { key } of NOTES) {
    const text = draft[key]?.trim();
    if (text !== undefined && text !== (trade[key] ?? "")) changed[key] = text;
  }
  return Object.keys(changed).length > 0 ? changed : undefined;
}
