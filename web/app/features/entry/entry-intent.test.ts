import { expect, it } from "vitest";
import { type EntryIntent, entryState, readIntent } from "./entry-intent.ts";

it("[4M-04] [4L-01] reads an intent back from the history state", () => {
  const intent: EntryIntent = { broker: "groww", tradetype: "fno", force: "replace" };
  expect(readIntent(JSON.parse(JSON.stringify(entryState(intent))))).toEqual(intent);
});

it.each([
  [null],
  [{}],
  [{ entry: null }],
  [{ entry: { broker: "zerodha", tradetype: "equity" } }],
  [{ entry: { broker: "zerodha", tradetype: "equity", force: "delete" } }],
  [{ entry: { broker: "other", tradetype: "equity", force: "replace" } }],
  [{ entry: { broker: "zerodha", tradetype: "", force: "append" } }],
])("ignores the invalid state %j", (state) => {
  expect(readIntent(state)).toBeUndefined();
});
