import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { AccountFailure } from "#features/account/account-failure.tsx";
import { AccountSkeleton } from "#features/account/account-skeleton.tsx";
import { endedLine } from "#features/account/account-words.ts";
import { SignInRow } from "#features/account/sign-in-row.tsx";
import { api } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { failureLine, NO_ANSWER } from "#lib/problem.ts";
import { Button } from "#ui/button.tsx";
import { FormFailure } from "#ui/form-failure.tsx";

export const SIGN_INS_KEY = ["get", "/account/sign-ins"] as const;

const ALL = "all";

type Answer = { response: Response; error?: unknown };

export function SignInList() {
  const client = useQueryClient();
  const { data, error, isFetching, refetch } = $api.useQuery("get", "/account/sign-ins");
  const [ending, setEnding] = useState<string>();
  const [line, setLine] = useState("");
  const [failure, setFailure] = useState<string>();

  async function end<A extends Answer>(what: string, request: () => Promise<A>): Promise<A | undefined> {
    setEnding(what);
    setFailure(undefined);
    setLine("");
    try {
      const answer = await request();
      // One that is gone already is what was wanted.
      if (answer.response.ok || answer.response.status === 404) return answer;
      setFailure(failureLine(answer.response, answer.error));
    } catch (cause) {
      console.error(cause);
      setFailure(NO_ANSWER);
    } finally {
      await client.invalidateQueries({ queryKey: SIGN_INS_KEY });
      setEnding(undefined);
    }
    return undefined;
  }

  async function endOne(id: string, device: string) {
    const path = { params: { path: { id } } };
    if (await end(id, () => api.DELETE("/account/sign-ins/{id}", path))) setLine(`${device} was logged out.`);
  }

  async function endOthers() {
    const answer = await end(ALL, () => api.DELETE("/account/sign-ins"));
    if (answer?.data) setLine(endedLine(answer.data.ended));
  }

  if (error) return <AccountFailure error={error} onRetry={() => void refetch()} busy={isFetching} />;
  if (!data) return <AccountSkeleton label="Loading your sign-ins" />;
  return (
    <>
      <ul className="overflow-hidden rounded-panel border border-line bg-surface">
        {data.signIns.map((signIn) => (
          <SignInRow
            key={signIn.id}
            signIn={signIn}
            ending={ending === signIn.id}
            onEnd={() => endOne(signIn.id, signIn.device)}
          />
        ))}
      </ul>
      {data.signIns.length > 1 && (
        <Button variant="secondary" pending={ending === ALL} onClick={endOthers} className="mt-5">
          End all others
        </Button>
      )}
      <FormFailure>{failure}</FormFailure>
      <p role="status" className="text-ink-2 text-ui not-empty:mt-4">
        {line}
      </p>
    </>
  );
}
