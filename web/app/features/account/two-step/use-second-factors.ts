import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Schemas } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { failureMessage, NO_ANSWER } from "#lib/problem.ts";

export type SecondFactors = Schemas["SecondFactors"];

const KEY = ["get", "/account/second-factors"] as const;

/** Loads the second factors and trusted devices of the account. */
export function useSecondFactors() {
  return $api.useQuery("get", "/account/second-factors");
}

type Result = { response: Response; error?: unknown };

/** Runs a change of the second factors and loads them again. */
export function useFactorChange() {
  const client = useQueryClient();
  const [pending, setPending] = useState<string>();
  const [failure, setFailure] = useState<string>();

  /** Returns the result of the request if it succeeded. `name` identifies the pressed button. */
  async function change<R extends Result>(name: string, request: () => Promise<R>): Promise<R | undefined> {
    setPending(name);
    setFailure(undefined);
    try {
      const result = await request();
      if (result.response.ok) return result;
      setFailure(failureMessage(result.response, result.error));
    } catch (error) {
      console.error(error);
      setFailure(NO_ANSWER);
    } finally {
      await client.invalidateQueries({ queryKey: KEY });
      setPending(undefined);
    }
    return undefined;
  }

  return { pending, failure, setFailure, change };
}
