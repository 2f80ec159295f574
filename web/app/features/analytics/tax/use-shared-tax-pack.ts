import { useEffect, useState } from "react";
import { api } from "#lib/api.ts";
import type { paths } from "#lib/api-schema.d.ts";
import { failureMessage, NO_ANSWER } from "#lib/problem.ts";

export type SharedPack =
  paths["/analytics/tax/shared"]["post"]["responses"][200]["content"]["application/json"];

export type SharedPackState =
  | { phase: "loading" | "incomplete" | "expired" }
  | { phase: "failed"; message: string }
  | { phase: "open"; shared: SharedPack };

/**
 * Loads the tax pack of a link. Not a query: the server logs each request for the trader, so none is repeated without
 * the reader.
 */
export function useSharedTaxPack(token: string) {
  const [state, setState] = useState<SharedPackState>({ phase: token ? "loading" : "incomplete" });
  const [attempt, setAttempt] = useState(1);
  const [busy, setBusy] = useState(false);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt sends the request again
  useEffect(() => {
    if (!token) return;
    const controller = new AbortController();
    setBusy(true);
    void loadPack(token, controller.signal).then((loaded) => {
      if (controller.signal.aborted) return;
      setState(loaded);
      setBusy(false);
    });
    return () => controller.abort();
  }, [token, attempt]);

  return { state, busy, retry: () => setAttempt((count) => count + 1) };
}

async function loadPack(token: string, signal: AbortSignal): Promise<SharedPackState> {
  try {
    const { data, error, response } = await api.POST("/analytics/tax/shared", { body: { token }, signal });
    if (data) return { phase: "open", shared: data };
    if (response.status === 404) return { phase: "expired" };
    return { phase: "failed", message: failureMessage(response, error) };
  } catch (error) {
    if (!signal.aborted) console.error(error);
    return { phase: "failed", message: navigator.onLine ? NO_ANSWER : "You're offline." };
  }
}
