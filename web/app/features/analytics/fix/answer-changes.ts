import type { Schemas } from "#lib/api.ts";

type Adjustment = Schemas["Adjustment"];

/** Entries that were added in one request, and are undone together. */
export type AnswerChange = {
  firstId: string;
  lastId: string;
  addedAt: string;
  entries: [Adjustment, ...Adjustment[]];
};

/** Groups entries by the change that added them, newest first. */
export function groupByChange(adjustments: readonly Adjustment[]): AnswerChange[] {
  const changes = new Map<string, AnswerChange>();
  const byId = [...adjustments].sort((one, other) => Number(one.id) - Number(other.id));
  for (const entry of byId) {
    const change = changes.get(entry.changeId);
    if (change) {
      change.lastId = entry.id;
      change.entries.push(entry);
    } else {
      const { id, addedAt, changeId } = entry;
      changes.set(changeId, { firstId: id, lastId: id, addedAt, entries: [entry] });
    }
  }
  return [...changes.values()].reverse();
}
