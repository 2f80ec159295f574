import type { QueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { Strategy, StrategyDecision } from "#features/analytics/analytics-api.ts";
import { api, isProblem } from "#lib/api.ts";
import { failureMessage, fieldErrors, NO_ANSWER } from "#lib/problem.ts";

/** Decision that was stored. */
export type DecisionChange = {
  changeId: string;
  /** Id of the strategy before the decision. */
  previousId: string;
  /** Strategies after it; the first continues the one that was decided about, or begins its trades. */
  strategies: readonly Strategy[];
};

export type Decisions = {
  /** Key of the button whose request is being sent; empty if none is. */
  busy: string;
  /** Error of the last request. */
  failure: string;
  clearFailure: () => void;
  /** Sends a decision; `key` is that of the pressed button. Returns undefined if it failed. */
  decide: (key: string, id: string, decision: StrategyDecision) => Promise<DecisionChange | undefined>;
  /** Undoes the last decision. Returns false if it failed. */
  undo: (change: DecisionChange) => Promise<boolean>;
};

/** Key of the button that undoes the last decision. */
export const UNDO = "undo";

/**
 * Sends decisions about strategies. `onChange` is called after each change with the id of the strategy to show; the
 * buttons are busy until its promise is resolved.
 */
export function useDecisions(onChange: (shownId: string) => Promise<unknown>): Decisions {
  const [busy, setBusy] = useState("");
  const [failure, setFailure] = useState("");
  const isRunning = useRef(false);

  /** Runs one request at a time; the request returns its result or an error message. */
  async function run<T extends object>(key: string, request: () => Promise<T | string>) {
    if (isRunning.current) return undefined;
    isRunning.current = true;
    setBusy(key);
    setFailure("");
    let result: T | string;
    try {
      result = await request();
    } catch (error) {
      console.error(error);
      result = NO_ANSWER;
    }
    isRunning.current = false;
    setBusy("");
    if (typeof result !== "string") return result;
    setFailure(result);
    return undefined;
  }

  const decide = (key: string, id: string, body: StrategyDecision) =>
    run<DecisionChange>(key, async () => {
      const { data, error, response } = await api.POST("/analytics/strategies/{id}/decisions", {
        params: { path: { id } },
        body,
      });
      if (!data) {
        if (isProblem(error) && error.code === "strategy_changed") await onChange(id);
        return messageOf(response, error);
      }
      await onChange(data.strategies[0]?.id ?? id);
      return { ...data, previousId: id };
    });

  async function undo(change: DecisionChange): Promise<boolean> {
    const undone = await run(UNDO, async () => {
      const { error, response } = await api.DELETE("/analytics/strategy-decisions/{id}", {
        params: { path: { id: change.changeId } },
      });
      if (!response.ok) return messageOf(response, error);
      await onChange(change.previousId);
      return change;
    });
    return undone !== undefined;
  }

  return { busy, failure, clearFailure: () => setFailure(""), decide, undo };
}

/** Returns the text of a refused request. */
export function messageOf(response: Response, error: unknown): string {
  const messages = isProblem(error) ? fieldErrors(error).map(({ message }) => message) : [];
  return messages.join(" ") || failureMessage(response, error);
}

/** Paths of what decisions and settings change, apart from the pages of single strategies. */
const LIST_PATHS: readonly unknown[] = [
  "/analytics/strategies",
  "/analytics/strategy-statistics",
  "/analytics/strategy-settings",
];

/**
 * Fetches the strategies on the page again. Of the pages of single strategies only that of `shownId`: another one may
 * not exist any more.
 */
export function refreshStrategies(client: QueryClient, shownId = ""): Promise<void> {
  return client.invalidateQueries({
    predicate: ({ queryKey: [, path, init] }) => {
      if (path === "/analytics/strategies/{id}") return JSON.stringify(init).includes(`"${shownId}"`);
      return LIST_PATHS.includes(path);
    },
  });
}
