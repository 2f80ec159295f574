import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { refreshAnalytics } from "#features/analytics/analytics-api.ts";
import type { AnswerResult, IssueAnswer } from "#features/analytics/fix/fix-texts.ts";
import { api, isProblem } from "#lib/api.ts";
import { failureMessage, fieldErrors, NO_ANSWER } from "#lib/problem.ts";

export type Answers = {
  /** Key of the button whose request is being sent. */
  busy: string;
  failure: string;
  /** Result of the last answers, until they are undone. */
  result: AnswerResult | undefined;
  /** Sends answers as one change; `key` is that of the pressed button. Returns true if they are stored. */
  send: (key: string, answers: IssueAnswer[]) => Promise<boolean>;
  /** Removes the entries from the first to the last id. */
  undo: (firstId: string, lastId: string) => Promise<boolean>;
  dismiss: () => void;
};

/** Sends answers to data issues and undoes them. */
export function useAnswers(): Answers {
  const client = useQueryClient();
  const [busy, setBusy] = useState("");
  const [failure, setFailure] = useState("");
  const [result, setResult] = useState<AnswerResult>();

  async function run(key: string, request: () => Promise<string | undefined>): Promise<boolean> {
    setBusy(key);
    setFailure("");
    let message: string | undefined;
    try {
      message = await request();
    } catch (error) {
      console.error(error);
      message = NO_ANSWER;
    }
    setFailure(message ?? "");
    // After a failure the list may be outdated, too.
    await refreshAnalytics(client);
    setBusy("");
    return message === undefined;
  }

  const send = (key: string, answers: IssueAnswer[]) =>
    run(key, async () => {
      const { data, error, response } = await api.POST("/analytics/data-issues/answers", {
        body: { answers },
      });
      if (!data)
        return (isProblem(error) && fieldErrors(error)[0]?.message) || failureMessage(response, error);
      setResult(data);
      return undefined;
    });

  const undo = (firstId: string, lastId: string) =>
    run(firstId, async () => {
      const { error, response } = await api.DELETE("/analytics/adjustments/{id}", {
        params: { path: { id: firstId }, query: { lastId } },
      });
      if (!response.ok) return failureMessage(response, error);
      setResult(undefined);
      return undefined;
    });

  return { busy, failure, result, send, undo, dismiss: () => setResult(undefined) };
}
