import { QueryClient } from "@tanstack/react-query";
import { isProblem } from "#lib/api.ts";

/** Retries once, and only after errors that may be temporary: no response, or a server error. */
function shouldRetry(failures: number, error: unknown): boolean {
  if (failures >= 1) return false;
  return isProblem(error) ? error.status >= 500 : true;
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 60_000,
      retry: shouldRetry,
      refetchOnWindowFocus: false,
      // Offline, queries fail visibly instead of waiting silently; they are repeated when the network is back.
      networkMode: "always",
      refetchOnReconnect: true,
    },
    mutations: { retry: false, networkMode: "always" },
  },
});
