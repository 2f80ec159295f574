import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Attempt, newAttempt } from "./entry-draft.ts";
import { type Entry, NEW_ENTRY } from "./entry-schema.ts";
import { legs, saveEntry } from "./save-entry.ts";

const ENTRY: Entry = {
  ...NEW_ENTRY,
  broker: "zerodha",
  tradetype: "equity",
  type: "BUY",
  market: "BSE",
  stockName: "ITC Limited",
  symbol: "ITC",
  quantity: "10",
  buyPrice: "400.1",
  buyDate: "2026-11-02T09:15",
  sellPrice: "401",
  sellDate: "2026-11-02T15:10",
  psychology: "Calm",
};
const SHARED = {
  symbol: "ITC",
  quantity: 10,
  broker: "zerodha",
  tradetype: "equity",
  exchange: "BSE",
  stockName: "ITC Limited",
  psychology: "Calm",
};
const BUY = { ...SHARED, type: "buy", price: 400.1, timestamp: "2026-11-02T09:15:00+05:30" };
const SELL = { ...SHARED, type: "sell", price: 401, timestamp: "2026-11-02T15:10:00+05:30" };

type Init = { params: { header: Record<string, string> }; body: unknown };
type Answer = { data?: unknown; error?: unknown; response: Response };

const server = vi.hoisted(() => ({ sent: [] as unknown[], answers: [] as (() => unknown)[] }));
vi.mock("#lib/api.ts", async (original) => ({
  ...(await original<object>()),
  api: {
    POST: async (path: string, { params: { header }, body }: Init) => {
      server.sent.push({ path, key: header["Idempotency-Key"], prefer: header.Prefer, body });
      const answer = server.answers.shift();
      if (!answer) throw new Error("no response is left for this request");
      return answer();
    },
  },
}));

function problem(status: number, extra: object = {}): () => Answer {
  const error = {
    type: "about:blank",
    title: "",
    status,
    detail: "Refused.",
    instance: "r",
    code: "x",
    ...extra,
  };
  return () => ({ error, response: new Response(null, { status }) });
}
const done = (data: object) => (): Answer => ({ data, response: new Response() });
const added = done({ total: 1 });
const lost = (): Answer => {
  throw new TypeError("no network");
};

beforeEach(() => {
  server.sent.length = 0;
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.spyOn(console, "warn").mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
});

function save(attempt: Attempt) {
  return saveEntry("asha@example.in", ENTRY, attempt);
}

it("[7T-09] [7T-10] [3S-01] [3S-02] [5T-05] appends by two linked adds, the buy first, with a key each", async () => {
  server.answers = [added, added];
  const attempt = newAttempt("append");
  expect(await save(attempt)).toEqual({ kind: "added" });
  const book = { email: "asha@example.in", broker: "zerodha", tradetype: "equity" };
  const { pairId, buyKey, sellKey } = attempt;
  const common = { path: "/trades/add", prefer: "return=minimal" };
  expect(server.sent).toEqual([
    { ...common, key: buyKey, body: { ...book, trade: { ...BUY, pairId } } },
    { ...common, key: sellKey, body: { ...book, trade: { ...SELL, pairId } } },
  ]);
  expect(buyKey).not.toBe(sellKey);
});

it("[7T-07] [7T-08] replaces by one request with the buy and then the sell", async () => {
  const replacement = { changeId: "7", added: 2, removed: 128 };
  server.answers = [done({ total: 2, replacement })];
  const attempt = newAttempt("replace");
  expect(await save(attempt)).toEqual({ kind: "replaced", ...replacement });
  const { pairId } = attempt;
  expect(server.sent).toMatchObject([
    {
      path: "/trades/replace",
      key: attempt.buyKey,
      body: {
        trades: [
          { ...BUY, pairId },
          { ...SELL, pairId },
        ],
      },
    },
  ]);
});

it("[7T-11] does not send the sell after a failed buy", async () => {
  server.answers = [problem(422)];
  expect(await save(newAttempt("append"))).toMatchObject({ kind: "failed" });
  expect(server.sent).toHaveLength(1);
});

it("[7T-11] [4T-01] sends both legs again with the same keys after a lost response", async () => {
  server.answers = [added, lost, added, added];
  const attempt = newAttempt("append");
  expect(await save(attempt)).toMatchObject({ kind: "failed", failure: { attemptOver: false } });
  expect(await save(attempt)).toEqual({ kind: "added" });
  expect(server.sent.slice(2)).toEqual(server.sent.slice(0, 2));
});

it.each([
  ["deleted", done({ total: 0, trade: null })],
  ["undone", problem(409, { code: "change_undone" })],
])("fails if a leg that an earlier try saved was %s since", async (_, buy) => {
  server.answers = [added, lost, buy];
  const attempt = newAttempt("append");
  await save(attempt);
  expect(await save(attempt)).toMatchObject({ kind: "failed", failure: { attemptOver: true } });
  expect(server.sent).toHaveLength(3);
});

it.each([
  ["append", "Failed to add trades."],
  ["replace", "Failed to replace trades."],
] as const)("[8E-07] logs a failed %s as %j", async (mode, text) => {
  server.answers = [problem(500)];
  await save(newAttempt(mode));
  expect(console.error).toHaveBeenCalledWith(text);
});

it("returns the server's field errors for the leg that was sent", async () => {
  const errors = [
    { field: "trade.price", code: "x", message: "Price." },
    { field: "trade.timestamp", code: "x", message: "Time." },
    { field: "trade.exchange", code: "x", message: "Market." },
    { field: "trade.pairId", code: "x", message: "Not a field." },
  ];
  server.answers = [added, problem(422, { errors })];
  expect(await save(newAttempt("append"))).toMatchObject({
    failure: {
      text: "Refused. The buy is saved, the sell is not. Save again to complete the entry.",
      fields: [
        { field: "sellPrice", message: "Price." },
        { field: "sellDate", message: "Time." },
        { field: "market", message: "Market." },
      ],
    },
  });
});

it("ends the attempt if the entry was saved before it was changed", async () => {
  server.answers = [problem(422, { code: "idempotency_key_reused" })];
  expect(await save(newAttempt("append"))).toMatchObject({ failure: { attemptOver: true } });
});

it("sends the stop loss with the opening leg", () => {
  const stopLosses = (entry: Entry) => legs(entry, "pair").map(({ type, stopLoss }) => [type, stopLoss]);
  expect(stopLosses({ ...ENTRY, stopLoss: "395.5" })).toEqual([
    ["buy", 395.5],
    ["sell", undefined],
  ]);
  expect(stopLosses({ ...ENTRY, type: "SELL", stopLoss: "410" })).toEqual([
    ["buy", undefined],
    ["sell", 410],
  ]);
});

it.each([
  ["append", "sell", { buyPrice: "", buyDate: "" }, SELL],
  ["append", "buy", { sellPrice: "", sellDate: "" }, BUY],
  ["replace", "sell", { buyPrice: "", buyDate: "" }, SELL],
] as const)("[T12] sends one trade to %s an entry with only a %s", async (mode, side, empty, trade) => {
  const open = { ...ENTRY, ...empty };
  const attempt = newAttempt(mode);
  server.answers = [
    mode === "append" ? added : done({ total: 1, replacement: { changeId: "7", added: 1, removed: 0 } }),
  ];
  expect(await saveEntry("asha@example.in", open, attempt)).not.toMatchObject({ kind: "failed" });
  const sent = { ...trade, pairId: attempt.pairId };
  expect(server.sent).toMatchObject([{ body: mode === "append" ? { trade: sent } : { trades: [sent] } }]);

  // A rejected trade is reported at the fields of its own leg, and as not saved.
  const errors = [
    { field: mode === "append" ? "trade.price" : "trades[0].price", code: "x", message: "Price." },
  ];
  server.answers = [problem(422, { errors })];
  expect(await saveEntry("asha@example.in", open, newAttempt(mode))).toMatchObject({
    failure: { text: "Refused. Nothing was saved.", fields: [{ field: `${side}Price`, message: "Price." }] },
  });
});

it("[T12] sends no stock name if there is none", () => {
  expect(legs({ ...ENTRY, tradetype: "fno", stockName: "" }, "pair")[0]).not.toHaveProperty("stockName");
});
