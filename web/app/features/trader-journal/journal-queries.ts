import type { QueryClient } from "@tanstack/react-query";
import { $api } from "#lib/api-query.ts";

/** Maximum number of entries on a page of a search. */
const MAX_PAGE_SIZE = 100;

/** Returns the entries of days in a period, newest first. A month has at most 31. */
export function useDayEntries(from: string | undefined, to: string | undefined) {
  return $api.useQuery(
    "get",
    "/journal/search",
    { params: { query: { kind: "day", from: from ?? "", to: to ?? "", limit: MAX_PAGE_SIZE } } },
    { enabled: Boolean(from && to) },
  );
}

/** Returns the entries of strategies opened in a period, newest first. */
export function useStrategyEntries(from: string, to: string) {
  return $api.useQuery(
    "get",
    "/journal/search",
    { params: { query: { kind: "strategy", from, to, limit: MAX_PAGE_SIZE } } },
    { staleTime: 0 },
  );
}

/** Returns the rules that the positions and strategies of each day kept and broke. A month has at most 31 days. */
export function useRulesByDay(from: string, to: string) {
  return $api.useQuery(
    "get",
    "/journal/groups",
    { params: { query: { by: "day", from, to } } },
    { staleTime: 0 },
  );
}

/** Returns the closed trades and results by day. */
export function useResultDays(from?: string, to?: string) {
  const query = { ...(from && { from }), ...(to && { to }) };
  return $api.useQuery("get", "/analytics/overview", { params: { query } }, { staleTime: 0 });
}

/** Fetches lists of the journal again after an entry was saved. */
export function refreshJournal(client: QueryClient): Promise<void> {
  return client.invalidateQueries({
    predicate: ({ queryKey: [, path] }) =>
      ["/journal/search", "/journal/groups", "/journal/changes"].includes(String(path)),
  });
}
