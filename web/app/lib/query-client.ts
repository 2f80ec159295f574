import { QueryClient } from "@tanstack/react-query";
import { isProblem } from "#lib/api.ts";

/** Only what may pass by itself is asked for again: no answer at all, or a fault of the server. */
export function shouldRetry(failures: number, error: unknown): boolean {
  if (failures >= 1) return false;
  return isProblem(error) ? error.status >= 500 : true;
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 60_000,
      retry: shouldRetry,
      refetchOnWindowFocus: false,
      // Without a network it fails and says so, instead of waiting in silence; with one again it goes on by itself.
      networkMode: "always",
      refetchOnReconnect: true,
    },
    mutations: { retry: false, networkMode: "always" },
  },
});
