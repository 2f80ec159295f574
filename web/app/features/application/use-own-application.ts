import { useCallback, useEffect, useState } from "react";
import { careersApi, type Schemas } from "#lib/api.ts";
import { failureLine, NO_ANSWER } from "#lib/problem.ts";

export type OwnApplication = Schemas["Application"];

export type OwnState =
  | { phase: "loading" }
  | { phase: "failed"; line: string }
  /** Nobody gave a key: the page was loaded anew, or found without the letter. */
  | { phase: "closed" }
  /** The key opens nothing, or not any more. */
  | { phase: "unknown" }
  | { phase: "erased" }
  | { phase: "open"; application: OwnApplication };

type Answer = { data?: OwnApplication | undefined; error?: unknown; response: Response };

/** Sent in a header: an address is written down in many places. */
export function withKey(key: string) {
  return { headers: { "Application-Key": key } };
}

/** What a candidate's key opens. */
export function useOwnApplication(key: string) {
  const [state, setState] = useState<OwnState>(key ? { phase: "loading" } : { phase: "closed" });

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
    show: (application: OwnApplication) => setState({ phase: "open", application }),
    erased: () => setState({ phase: "erased" }),
  };
}

async function read(key: string): Promise<OwnState> {
  try {
    const { data, error, response }: Answer = await careersApi.GET("/api/application", withKey(key));
    if (data) return { phase: "open", application: data };
    if (response.status === 404) return { phase: "unknown" };
    return { phase: "failed", line: failureLine(response, error) };
  } catch (error) {
    console.error(error);
    return { phase: "failed", line: NO_ANSWER };
  }
}
