import { expect, it } from "vitest";
import { mismatchWords } from "#features/import/mismatch-words.ts";

const CHOSEN = { broker: "zerodha", tradetype: "equity" } as const;

it.each([
  ["groww", "equity", "This is a Groww file. Import it as Groww?", "Import as Groww"],
  [
    "zerodha",
    "fno",
    "This is a file of Future & Option trades. Import it as Future & Option?",
    "Import as Future & Option",
  ],
  [
    "groww",
    "fno",
    "This is a Groww file of Future & Option trades. Import it as Groww, Future & Option?",
    "Import as Groww, Future & Option",
  ],
] as const)("names what differs: %s, %s", (broker, tradetype, question, yes) => {
  expect(mismatchWords(CHOSEN, { broker, tradetype })).toEqual({ question, yes });
});
