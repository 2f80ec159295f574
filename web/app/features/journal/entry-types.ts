import type { Schemas } from "#lib/api.ts";

/** The two lists of the public journal: trades within one day, and trades held longer. */
export type EntryType = Schemas["EntryType"];

export const ENTRY_TYPES: readonly { type: EntryType; label: string }[] = [
  { type: "intraday", label: "Intraday" },
  { type: "equity", label: "Equity" },
];

/** Reads the open tab from the URL; intraday by default. */
export function parseEntryType(params: URLSearchParams): EntryType {
  return ENTRY_TYPES.find(({ type }) => type === params.get("tab"))?.type ?? "intraday";
}

export function entryTypeLabel(type: EntryType): string {
  return ENTRY_TYPES.find((one) => one.type === type)?.label ?? type;
}
