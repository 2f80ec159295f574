import { expect, it } from "vitest";
import { mismatchText } from "#features/import/preview-text.ts";

const SELECTED = { broker: "zerodha", tradetype: "equity" } as const;

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
] as const)("asks about a file of %s, %s", (broker, tradetype, question, confirmLabel) => {
  expect(mismatchText(SELECTED, { broker, tradetype })).toEqual({ question, confirmLabel });
});
