import type { Query } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { queryClient } from "#lib/query-client.ts";

const CACHE = queryClient.getQueryCache();
const subscribe = (notify: () => void) => CACHE.subscribe(notify);

/** Returns the number of open data issues that the analytics loaded last; undefined before they loaded any. */
export function useOpenIssues(): number | undefined {
  return useSyncExternalStore(subscribe, newest, () => undefined);
}

function newest(): number | undefined {
  const queries = CACHE.getAll().filter((query) => openIssuesOf(query) !== undefined);
  const [last] = queries.toSorted((one, other) => other.state.dataUpdatedAt - one.state.dataUpdatedAt);
  return last && openIssuesOf(last);
}

/** Returns the number that the answer of a request states; undefined for a request with the token of a guest. */
function openIssuesOf({ queryKey: [, path, init], state: { data } }: Query): number | undefined {
  if (!data || typeof data !== "object") return undefined;
  if (init && typeof init === "object" && "headers" in init) return undefined;
  if (path === "/analytics/data-issues" && "total" in data) return Number(data.total);
  if (path !== "/analytics/overview" || !("dataIssues" in data)) return undefined;
  const { dataIssues } = data as { dataIssues: { open: number } };
  return dataIssues.open;
}
