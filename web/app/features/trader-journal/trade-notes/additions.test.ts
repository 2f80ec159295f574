import { describe, expect, it } from "vitest";
import type { Position } from "#features/trader-journal/position-facts.ts";
import {
  type Addition,
  type NotedTrade,
  noteTags,
  positionAdditions,
  splitAdditions,
  tradeNote,
} from "#features/trader-journal/trade-notes/additions.ts";
import { copiedText } from "#features/trader-journal/trade-notes/texts.ts";

const TRADE: NotedTrade = {
  _id: "7",
  type: "buy",
  quantity: 60,
  price: 1500.5,
  timestamp: "2026-11-20T03:50:00Z",
  timePrecision: "second",
  notes: "Breakout above the range #gap-up #News, again #gap-up",
  marketOutlook: "Sideways",
};

const addition = (key: string, note = ""): Addition => ({
  kind: "position",
  key,
  day: "2026-11-20",
  texts: [note],
});

describe("additions of trades", () => {
  it("say what was traded, and contain all texts", () => {
    const head = "**Bought 60 at ₹1,500.50, 20 Nov 2026, 9:20 am**";
    expect(tradeNote(TRADE)).toBe(`${head}\n\n${TRADE.notes}\n\nMarket outlook: Sideways`);
    expect(tradeNote({ ...TRADE, timePrecision: "day", notes: "", marketOutlook: "" })).toBe(
      "**Bought 60 at ₹1,500.50, 20 Nov 2026**",
    );
  });

  it("have every tag once", () => {
    expect(noteTags("#gap-up. (#News) #GAP-UP a#b ##c #ल")).toEqual(["gap-up", "News", "c", "ल"]);
    expect(noteTags(`#${"x".repeat(41)}`)).toEqual([]);
  });

  it("leave out trades without a position", () => {
    expect(positionAdditions([TRADE], () => undefined)).toEqual([]);
  });

  it("are one for each position, with all notes and tags", () => {
    const position = {
      id: "p",
      symbol: "INFY",
      openedAt: TRADE.timestamp,
      side: "long",
      quantity: 60,
    } as Position;
    const sale: NotedTrade = { ...TRADE, _id: "8", type: "sell", notes: "#late", marketOutlook: "" };
    expect(positionAdditions([TRADE, sale], () => position)).toEqual([
      {
        kind: "position",
        key: "p",
        symbol: "INFY",
        day: "2026-11-20",
        side: "long",
        quantity: 60,
        setup: "",
        emotion: "",
        texts: [tradeNote(TRADE), tradeNote(sale)],
        tags: ["gap-up", "News", "late"],
      },
    ]);
  });

  it("are split at 100 and at the size of a request", () => {
    const many = Array.from({ length: 101 }, (_, index) => addition(String(index)));
    expect(splitAdditions(many).map(({ length }) => length)).toEqual([100, 1]);
    const long = Array.from({ length: 5 }, (_, index) => addition(String(index), "x".repeat(20_000)));
    expect(splitAdditions(long).map(({ length }) => length)).toEqual([4, 1]);
    expect(splitAdditions([])).toEqual([]);
    const texts = ["a", "b", "c", "d", "e"].map((char) => char.repeat(20_000));
    const split = splitAdditions([{ ...addition("p"), texts }]);
    expect(split.map((request) => request.map((part) => part.texts?.length))).toEqual([[4], [1]]);
  });

  it("are reported with what was not copied", () => {
    const progress = { trades: 9, changed: 0, withoutPosition: 0, full: 0, changeIds: [] };
    expect(copiedText(progress)).toBe("The journal has all notes that can be copied.");
    expect(copiedText({ ...progress, changed: 2, withoutPosition: 1, full: 3 })).toBe(
      "Notes added to 2 positions. 1 trade belongs to no position, such as a sale without its purchase. Some notes or tags of 3 positions did not fit. A note has at most 20,000 characters, and a position 20 tags.",
    );
  });
});
