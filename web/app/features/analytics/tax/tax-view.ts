/** Tax pack on the page. */
export type TaxView = {
  /** Financial year such as 2025-26. */
  year: string;
  /** Accounts such as zerodha,groww-2; empty for all. */
  accounts: string;
};

/** Parses the tax pack of an address; a year without trades becomes the newest of `years`, unknown accounts all of them. */
export function parseTaxView(
  params: URLSearchParams,
  years: readonly string[],
  groups: readonly { value: string }[],
): TaxView {
  const [year, accounts] = [params.get("year") ?? "", params.get("accounts") ?? ""];
  return {
    year: years.includes(year) ? year : (years[0] ?? ""),
    accounts: groups.some(({ value }) => value === accounts) ? accounts : "",
  };
}

/** Returns the parameters with a change of the tax pack. */
export function writeTaxView(params: URLSearchParams, change: Partial<TaxView>): URLSearchParams {
  const next = new URLSearchParams(params);
  for (const [key, value] of Object.entries(change)) {
    if (value) next.set(key, value);
    else next.delete(key);
  }
  return next;
}
