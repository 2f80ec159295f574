import {
  type CauseCode,
  REASONS,
  type RowNames,
  rowName,
  type WithCause,
} from "#features/analytics/reconcile/reconciliation.ts";

export const SORTS = [
  { value: "size", label: "Largest difference" },
  { value: "symbol", label: "Symbols A to Z" },
] as const;

/** Search, filter and sort order of the rows; an empty string means no filter. */
export type RowsView = {
  q: string;
  cause: CauseCode | "";
  sort: (typeof SORTS)[number]["value"];
};

const MAX_SEARCH_LENGTH = 64;

/** Parses the view of an address; ignores invalid values. */
export function parseRowsView(params: URLSearchParams): RowsView {
  return {
    q: (params.get("q") ?? "").slice(0, MAX_SEARCH_LENGTH),
    cause: REASONS.find(({ value }) => value === params.get("cause"))?.value ?? "",
    sort: SORTS.find(({ value }) => value === params.get("sort"))?.value ?? "size",
  };
}

/** Returns the parameters with another view; defaults are not written. */
export function writeRowsView(params: URLSearchParams, view: RowsView): URLSearchParams {
  const next = new URLSearchParams(params);
  const values = { ...view, sort: view.sort === "size" ? "" : view.sort };
  for (const [key, value] of Object.entries(values)) {
    if (value) next.set(key, value);
    else next.delete(key);
  }
  return next;
}

/** Returns the rows that match the view. The server sorts them by difference, the largest first. */
export function visibleRows<R extends RowNames & WithCause>(
  rows: readonly R[],
  { q, cause, sort }: RowsView,
): R[] {
  const search = q.trim().toLowerCase();
  const matching = rows.filter(
    (row) =>
      (!cause || row.cause?.code === cause) &&
      (!search ||
        [row.symbol, rowName(row), row.name, row.isin].some((text) => text?.toLowerCase().includes(search))),
  );
  if (sort !== "symbol") return matching;
  return matching.toSorted((a, b) => rowName(a).localeCompare(rowName(b), "en-IN"));
}
