import type { QueryClient } from "@tanstack/react-query";

/** An entry changes every figure: all that is shown is asked for again. */
export function refreshAnalytics(client: QueryClient): Promise<void> {
  return client.invalidateQueries({
    predicate: ({ queryKey: [, path] }) => typeof path === "string" && path.startsWith("/analytics/"),
  });
}
