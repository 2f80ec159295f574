import { $api } from "#lib/api-query.ts";

const EMPTY: readonly string[] = [];

/** Labels that the trader has used, most frequent first. */
export function useLabels(by: "setup" | "tag" | "mistake" | "emotion"): readonly string[] {
  const { data } = $api.useQuery("get", "/journal/groups", { params: { query: { by } } });
  return data?.groups.map(({ name }) => name) ?? EMPTY;
}

const USUAL_MISTAKES = ["Entered early", "No stop", "Averaged down", "Revenge", "Oversized", "Exited early"];
const USUAL_EMOTIONS = ["Calm", "Confident", "Anxious", "Greedy", "Annoyed"];

/** Labels to choose from: own ones first, then usual ones. */
export function useSuggestions(by: "setup" | "tag" | "mistake" | "emotion"): string[] {
  const own = useLabels(by);
  const playbooks = $api.useQuery("get", "/journal/playbooks", undefined, { enabled: by === "setup" }).data;
  const usual = { setup: [], tag: [], mistake: USUAL_MISTAKES, emotion: USUAL_EMOTIONS }[by];
  const names = by === "setup" ? (playbooks?.playbooks.map(({ name }) => name) ?? []) : [];
  const all: string[] = [];
  for (const name of [...names, ...own, ...usual]) {
    if (!all.some((one) => one.toLowerCase() === name.toLowerCase())) all.push(name);
  }
  return all;
}
