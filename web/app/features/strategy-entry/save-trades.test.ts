import { expect, it } from "vitest";
import type { AddResult } from "#lib/add-trade.ts";
import { planTrades, strategyBook, summarizeStrategy } from "./planned-trades.ts";
import { describeFailure } from "./save-failure.ts";
import { IdempotencyKeys, saveTrades } from "./save-trades.ts";
import { changeLeg, newStrategy, type StrategyFields } from "./strategy-fields.ts";

const LEGS = [
  ["25300", "44.10", "4.25"],
  ["25500", "71.60", "8.90"],
  ["26200", "68.40", "19.85"],
  ["26400", "31.20", "5.35"],
] as const;

/** Iron condor of NIFTY. Credit: (71.60 − 44.10 + 68.40 − 31.20) × 130 = 8,411. */
const CONDOR = LEGS.reduce<StrategyFields>(
  (fields, [strike, entryPrice, exitPrice], index) =>
    changeLeg(fields, index, { strike, entryPrice, exitPrice }),
  {
    ...newStrategy("zerodha-2"),
    underlying: "nifty ",
    expiry: "2026-11-23",
    quantity: "130",
    openedAt: "2026-11-12T10:32",
    closedAt: "2026-11-20T14:50",
  },
);
const TRADES = planTrades(CONDOR);

const PROBLEM = { type: "about:blank", title: "", status: 422, detail: "Invalid.", instance: "", code: "x" };
const rejected = (status: number, extra: object = {}): AddResult => ({
  kind: "rejected",
  error: { ...PROBLEM, status, ...extra },
  seconds: undefined,
});

/** Saves the trades with these results, then with success; returns the symbols and keys that were sent. */
async function save(results: AddResult[], saved = new Set<string>(), keys = new IdempotencyKeys()) {
  const sent: string[] = [];
  const outcome = await saveTrades(TRADES, {
    saved: new Set(saved),
    keys,
    add: async ({ symbol, type }, key) => {
      sent.push(`${type} ${symbol} ${key}`);
      return results.shift() ?? { kind: "added" };
    },
    onSaved: (id) => saved.add(id),
  });
  return { outcome, sent, saved, keys };
}

it("plans all entries before the exits, with the symbols of the exchange", () => {
  expect(TRADES.map(({ trade: { type, symbol, price } }) => `${type} ${symbol} ${price}`)).toEqual([
    "buy NIFTY26NOV25300PE 44.1",
    "sell NIFTY26NOV25500PE 71.6",
    "sell NIFTY26NOV26200CE 68.4",
    "buy NIFTY26NOV26400CE 31.2",
    "sell NIFTY26NOV25300PE 4.25",
    "buy NIFTY26NOV25500PE 8.9",
    "buy NIFTY26NOV26200CE 19.85",
    "sell NIFTY26NOV26400CE 5.35",
  ]);
  const [entry, , , , exit] = TRADES.map(({ trade }) => trade);
  expect(entry).toMatchObject({
    quantity: 130,
    timestamp: "2026-11-12T10:32:00+05:30",
    exchange: "NSE",
    pairId: CONDOR.legs[0]?.id,
  });
  expect(exit).toMatchObject({ timestamp: "2026-11-20T14:50:00+05:30", pairId: CONDOR.legs[0]?.id });
});

it("plans only the entries of an open position", () => {
  expect(planTrades({ ...CONDOR, closedAt: "" })).toHaveLength(4);
});

it("plans no exit of a leg without an exit price", () => {
  const expired = changeLeg(CONDOR, 0, { exitPrice: " " });
  expect(planTrades(expired).map(({ legIndex, part }) => `${part} ${legIndex}`)).toEqual([
    "entry 0",
    "entry 1",
    "entry 2",
    "entry 3",
    "exit 1",
    "exit 2",
    "exit 3",
  ]);
  expect(summarizeStrategy(expired)).toEqual({ net: 8_411, result: undefined, entries: 4, exits: 3 });
});

it("adds to the account that is selected", () => {
  expect(strategyBook(CONDOR)).toEqual({ broker: "zerodha", brokerAccount: 2, tradetype: "fno" });
  expect(strategyBook({ ...CONDOR, account: "groww" })).toEqual({ broker: "groww", tradetype: "fno" });
});

it("calculates the credit, the result and the number of trades", () => {
  // Closed for (8.90 − 4.25 + 19.85 − 5.35) × 130 = 2,489.50.
  expect(summarizeStrategy(CONDOR)).toEqual({ net: 8_411, result: 5_921.5, entries: 4, exits: 4 });
  expect(summarizeStrategy({ ...CONDOR, quantity: "" })).toMatchObject({ net: undefined, exits: 4 });
  expect(summarizeStrategy(changeLeg({ ...CONDOR, closedAt: "" }, 0, { exitPrice: "" }))).toEqual({
    net: 8_411,
    result: undefined,
    entries: 4,
    exits: 0,
  });
});

it("saves one trade after the other, each with its own key", async () => {
  const { outcome, sent, saved } = await save([]);
  expect(outcome).toEqual({ kind: "saved" });
  expect(sent).toHaveLength(8);
  expect(new Set(sent.map((request) => request.split(" ")[2])).size).toBe(8);
  expect(saved.size).toBe(8);
});

it("stops at a failure, and a retry sends only the other trades, with the same keys", async () => {
  const first = await save([{ kind: "added" }, { kind: "noResponse" }]);
  expect(first.outcome).toMatchObject({ kind: "failed", failed: { legIndex: 1, part: "entry" } });
  expect(first.sent).toHaveLength(2);
  const second = await save([], first.saved, first.keys);
  expect(second.outcome).toEqual({ kind: "saved" });
  expect(second.sent).toHaveLength(7);
  expect(second.sent[0]).toBe(first.sent[1]);
});

it.each([
  [{ kind: "noResponse" } as const, true, false, "The server did not respond"],
  [rejected(503), true, false, "The server is busy. Try again in a moment."],
  [rejected(500), true, false, "Invalid. You can try again: it is not added twice."],
  [rejected(422), false, false, "Invalid. It was not saved."],
  [rejected(507), false, false, "Invalid. It was not saved."],
  [rejected(409, { code: "change_undone" }), false, true, "It was saved and then deleted"],
  [rejected(409, { code: "idempotency_key_reused" }), false, true, "It was saved before you changed it."],
  [{ kind: "deleted" } as const, false, true, "It was saved and then deleted"],
])("describes the failure %j", async (result, maybeSaved, needsNewKey, text) => {
  const added: AddResult = { kind: "added" };
  const { outcome } = await save([added, added, added, added, added, result]);
  if (outcome.kind !== "failed") throw new Error("the failure is missing");
  const failure = describeFailure(outcome);
  expect(failure).toMatchObject({ maybeSaved, needsNewKey });
  expect(failure.text).toContain(`Leg 2, exit: ${text}`);
});

it("shows the server's message at the field of the leg", async () => {
  const errors = [{ field: "trade.price", code: "invalid", message: "Too high." }];
  const { outcome } = await save([{ kind: "added" }, rejected(422, { errors })]);
  if (outcome.kind !== "failed") throw new Error("the failure is missing");
  expect(Array.from(describeFailure(outcome).fields)).toEqual([["leg-1-entryPrice", "Too high."]]);
});

it("uses another key for a trade after its key was deleted", () => {
  const keys = new IdempotencyKeys();
  const key = keys.get("a");
  expect(keys.get("a")).toBe(key);
  keys.delete("a");
  expect(keys.get("a")).not.toBe(key);
});
