import type { Schemas } from "#lib/api.ts";

export type Kind = Schemas["EntryType"];

export const KINDS: readonly { kind: Kind; label: string }[] = [
  { kind: "intraday", label: "Intraday" },
  { kind: "equity", label: "Equity" },
];

/** The tab that an address names; intraday where it names none. */
export function parseKind(params: URLSearchParams): Kind {
  return KINDS.find(({ kind }) => kind === params.get("tab"))?.kind ?? "intraday";
}

export function kindLabel(kind: Kind): string {
  return KINDS.find((known) => known.kind === kind)?.label ?? kind;
}
