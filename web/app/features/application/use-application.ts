import { useCallback, useEffect, useState } from "react";
import { careersApi, type Schemas } from "#lib/api.ts";
import { failureMessage, NO_ANSWER } from "#lib/problem.ts";

/** An application as its candidate sees it. */
export type CandidateApplication = Schemas["Application"];

export type ApplicationState =
  | { phase: "loading" }
  | { phase: "failed"; message: string }
  /** There is no key: the page was reloaded, or opened without the link of the email. */
  | { phase: "no-key" }
  /** The key is wrong, or the application was deleted. */
  | { phase: "unknown" }
  | { phase: "deleted" }
  /** The link was revoked, and a new one is on its way to this address. */
  | { phase: "link-replaced"; email: string }
  | { phase: "open"; application: CandidateApplication };

type Result = { data?: CandidateApplication | undefined; error?: unknown; response: Response };

/** Returns request options with the key in a header; a URL would end up in logs. */
export function withKey(key: string) {
  return { headers: { "Application-Key": key } };
}

/** Loads the application of a candidate's key. */
export function useApplication(key: string) {
  const [state, setState] = useState<ApplicationState>(key ? { phase: "loading" } : { phase: "no-key" });

  const load = useCallback(async () => {
    setState({ phase: "loading" });
    setState(await read(key));
  }, [key]);
  useEffect(() => {
    if (key) void load();
  }, [key, load]);

  return {
    state,
    load,
    show: (application: CandidateApplication) => setState({ phase: "open", application }),
    showDeleted: () => setState({ phase: "deleted" }),
    showLinkReplaced: (email: string) => setState({ phase: "link-replaced", email }),
  };
}

async function read(key: string): Promise<ApplicationState> {
  try {
    const { data, error, response }: Result = await careersApi.GET("/api/application", withKey(key));
    if (data) return { phase: "open", application: data };
    if (response.status === 404) return { phase: "unknown" };
    return { phase: "failed", message: failureMessage(response, error) };
  } catch (error) {
    console.error(error);
    return { phase: "failed", message: NO_ANSWER };
  }
}
