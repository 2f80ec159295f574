import { QueryClient } from "@tanstack/react-query";
import { expect, it } from "vitest";
import { queryClient } from "./query-client.ts";

const problem = (status: number) => ({ code: "x", status, detail: "" });

it.each([
  ["error", new TypeError("offline"), true],
  ["error", problem(503), true],
  ["error", problem(404), false],
  ["success", null, false],
] as const)("[T13] a query with status %s and %o recovers by itself: %s", (status, error, recovers) => {
  const client = new QueryClient();
  const query = client.getQueryCache().build(client, { queryKey: [status, String(error)] });
  query.setState({ status, error: error as Error | null });
  const { refetchInterval, refetchOnReconnect, refetchOnWindowFocus } =
    queryClient.getDefaultOptions().queries ?? {};
  for (const option of [refetchInterval, refetchOnReconnect, refetchOnWindowFocus]) {
    if (typeof option !== "function") throw new Error("The option depends on the query.");
  }
  const call = (option: unknown) => (typeof option === "function" ? option(query) : undefined);
  expect(call(refetchInterval)).toBe(recovers && 15_000);
  expect(call(refetchOnReconnect)).toBe(recovers ? "always" : true);
  expect(call(refetchOnWindowFocus)).toBe(recovers && "always");
});
