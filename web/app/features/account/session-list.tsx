import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { AccountFailure } from "#features/account/account-section.tsx";
import { AccountSkeleton } from "#features/account/account-skeleton.tsx";
import { SessionRow } from "#features/account/session-row.tsx";
import { endedSessionsText } from "#features/account/session-text.ts";
import { api } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { failureMessage, NO_ANSWER } from "#lib/problem.ts";
import { Button } from "#ui/button.tsx";
import { FormFailure } from "#ui/form-failure.tsx";

export const SESSIONS_KEY = ["get", "/account/sessions"] as const;

const ALL = "all";

type Result = { response: Response; error?: unknown };

/** Lists the devices where the user is logged in. */
export function SessionList() {
  const client = useQueryClient();
  const { data, error, isFetching, refetch } = $api.useQuery("get", "/account/sessions");
  const [ending, setEnding] = useState<string>();
  const [status, setStatus] = useState("");
  const [failure, setFailure] = useState<string>();

  async function end<R extends Result>(target: string, request: () => Promise<R>): Promise<R | undefined> {
    setEnding(target);
    setFailure(undefined);
    setStatus("");
    try {
      const result = await request();
      // 404: the session had already ended.
      if (result.response.ok || result.response.status === 404) return result;
      setFailure(failureMessage(result.response, result.error));
    } catch (cause) {
      console.error(cause);
      setFailure(NO_ANSWER);
    } finally {
      await client.invalidateQueries({ queryKey: SESSIONS_KEY });
      setEnding(undefined);
    }
    return undefined;
  }

  async function endOne(id: string, device: string) {
    const path = { params: { path: { id } } };
    if (await end(id, () => api.DELETE("/account/sessions/{id}", path)))
      setStatus(`${device} was logged out.`);
  }

  async function endOthers() {
    const result = await end(ALL, () => api.DELETE("/account/sessions"));
    if (result?.data) setStatus(endedSessionsText(result.data.endedSessions));
  }

  if (error) return <AccountFailure error={error} onRetry={() => void refetch()} busy={isFetching} />;
  if (!data) return <AccountSkeleton label="Loading your devices" />;
  return (
    <>
      <ul className="overflow-hidden rounded-panel border border-line bg-surface">
        {data.sessions.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            ending={ending === session.id}
            onEnd={() => endOne(session.id, session.device)}
          />
        ))}
      </ul>
      {data.sessions.length > 1 && (
        <Button variant="secondary" pending={ending === ALL} onClick={endOthers} className="mt-5">
          Log out all other devices
        </Button>
      )}
      <FormFailure>{failure}</FormFailure>
      <p role="status" className="text-ink-2 text-ui not-empty:mt-4">
        {status}
      </p>
    </>
  );
}
