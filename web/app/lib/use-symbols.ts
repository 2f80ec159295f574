import { useEffect, useState } from "react";
import { $api } from "#lib/api-query.ts";

/** Time without typing before symbols are loaded, in milliseconds. */
const DEBOUNCE_MS = 200;

/** Searches the symbols of the trader's trades for a typed text, while `enabled`. */
export function useSymbols(typed: string, enabled: boolean): readonly string[] {
  const [query, setQuery] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setQuery(typed), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [typed]);

  const { data } = $api.useQuery(
    "get",
    "/trades/symbols",
    { params: { query: query ? { q: query } : {} } },
    { enabled },
  );
  return data?.symbols ?? [];
}
