import { expect, it } from "vitest";
import { type EntryIntent, entryState, readIntent } from "./entry-intent.ts";

it("[4M-04] [4L-01] an intent is read back from the history as it was put there", () => {
  const intent: EntryIntent = { broker: "groww", tradetype: "fno", force: "replace" };
  expect(readIntent(JSON.parse(JSON.stringify(entryState(intent))))).toEqual(intent);
});

it.each([
  [null],
  [{}],
  [{ entry: null }],
  [{ entry: { broker: "zerodha", tradetype: "equity" } }],
  [{ entry: { broker: "zerodha", tradetype: "equity", force: "delete" } }],
  [{ entry: { broker: "upstox", tradetype: "equity", force: "replace" } }],
  [{ entry: { broker: "zerodha", tradetype: "", force: "append" } }],
])("%j is no intent", (state) => {
  expect(readIntent(state)).toBeUndefined();
});
