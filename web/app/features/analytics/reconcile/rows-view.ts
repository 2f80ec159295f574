import { CAUSES, type CauseCode, type Row, rowName } from "#features/analytics/reconcile/reconciliation.ts";

export const SORTS = [
  { value: "size", label: "Largest difference" },
  { value: "symbol", label: "Symbols A to Z" },
] as const;

/** Which rows are shown, and in which order. An empty text lets everything through. */
export type RowsView = {
  q: string;
  cause: CauseCode | "";
  sort: (typeof SORTS)[number]["value"];
};

const LONGEST = 64;

/** Reads the view from an address, which anybody may have typed: what makes no sense is left out. */
export function parseRowsView(params: URLSearchParams): RowsView {
  return {
    q: (params.get("q") ?? "").slice(0, LONGEST),
    cause: CAUSES.find(({ value }) => value === params.get("cause"))?.value ?? "",
    sort: SORTS.find(({ value }) => value === params.get("sort"))?.value ?? "size",
  };
}

/** The same address with another view; what the page does anyway is not written. */
export function writeRowsView(params: URLSearchParams, view: RowsView): URLSearchParams {
  const next = new URLSearchParams(params);
  const words = { ...view, sort: view.sort === "size" ? "" : view.sort };
  for (const [key, value] of Object.entries(words)) {
    if (value) next.set(key, value);
    else next.delete(key);
  }
  return next;
}

/** Rows come from the server with the largest difference first. */
export function shownRows(rows: readonly Row[], { q, cause, sort }: RowsView): Row[] {
  const word = q.trim().toLowerCase();
  const found = rows.filter(
    (row) =>
      (!cause || row.cause?.code === cause) &&
      (!word || [row.symbol, row.name, row.isin].some((text) => text?.toLowerCase().includes(word))),
  );
  return sort === "symbol" ? found.toSorted((a, b) => rowName(a).localeCompare(rowName(b), "en-IN")) : found;
}
