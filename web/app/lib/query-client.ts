import { type Query, QueryClient } from "@tanstack/react-query";
import { isProblem } from "#lib/api.ts";

/** Time until a failed query of a visible page is repeated, in milliseconds. */
const RECOVERY_INTERVAL_MS = 15_000;

/** Returns true for errors that may be temporary: no response, or a server error. */
function isTemporary(error: unknown): boolean {
  return isProblem(error) ? error.status >= 500 : true;
}

/** Retries once, and only after errors that may be temporary. */
function shouldRetry(failures: number, error: unknown): boolean {
  return failures < 1 && isTemporary(error);
}

function hasFailed({ state: { status, error } }: Pick<Query, "state">): boolean {
  return status === "error" && isTemporary(error);
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 60_000,
      retry: shouldRetry,
      // Offline, queries fail visibly instead of waiting silently. Failed ones are repeated when the network is back and
      // when the page becomes visible, and at intervals, because a network without internet causes no event.
      networkMode: "always",
      refetchOnReconnect: (query) => (hasFailed(query) ? "always" : true),
      refetchOnWindowFocus: (query) => hasFailed(query) && "always",
      refetchInterval: (query) => hasFailed(query) && RECOVERY_INTERVAL_MS,
    },
    mutations: { retry: false, networkMode: "always" },
  },
});
