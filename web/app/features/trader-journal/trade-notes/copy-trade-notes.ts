import type { Position } from "#features/trader-journal/position-facts.ts";
import {
  type NotedTrade,
  positionAdditions,
  splitAdditions,
} from "#features/trader-journal/trade-notes/additions.ts";
import { api } from "#lib/api.ts";
import { sendPatiently } from "#lib/send-patiently.ts";

/** Number of trades that are read at once; their ids fit into the address of one request. */
const PAGE_SIZE = 100;

export type CopyProgress = {
  /** Trades whose notes were read. */
  trades: number;
  /** Positions to which something was added. A position may count twice if its trades were read in two pages. */
  changed: number;
  /** Trades that belong to no position. */
  withoutPosition: number;
  /** Positions in which a note or a tag did not fit. */
  full: number;
  /** Changes to undo, the oldest first. */
  changeIds: string[];
};

export const NOTHING_COPIED: CopyProgress = {
  trades: 0,
  changed: 0,
  withoutPosition: 0,
  full: 0,
  changeIds: [],
};

/** Returns the number of trades with notes. */
export async function countNotedTrades(): Promise<number> {
  return (await fetchNoted("", 1)).total ?? 0;
}

/**
 * Copies the notes of all trades into the entries of their positions, and reports the progress after each page. What an
 * entry contains already is not added again. Throws the problem of a failed request; what was copied before remains.
 * `earlier` are the changes of an attempt that failed.
 */
export async function copyTradeNotes(
  earlier: readonly string[],
  onProgress: (progress: CopyProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  let progress: CopyProgress = { ...NOTHING_COPIED, changeIds: [...earlier] };
  let cursor: string | undefined = "";
  while (cursor !== undefined) {
    signal.throwIfAborted();
    const page: Awaited<ReturnType<typeof fetchNoted>> = await fetchNoted(cursor, PAGE_SIZE);
    progress = await copyPage(page.trades, progress, onProgress);
    progress = { ...progress, trades: progress.trades + page.trades.length };
    onProgress(progress);
    cursor = page.nextCursor;
  }
}

async function copyPage(
  trades: readonly NotedTrade[],
  earlier: CopyProgress,
  onProgress: (progress: CopyProgress) => void,
): Promise<CopyProgress> {
  if (trades.length === 0) return earlier;
  const positions = await fetchPositions(trades);
  const additions = positionAdditions(trades, ({ _id }) => positions.get(_id));
  let progress = earlier;
  for (const request of splitAdditions(additions)) {
    const body = { additions: request };
    const added = await sendPatiently(() => api.POST("/journal/entries/add", { body }));
    progress = {
      ...progress,
      changed: progress.changed + added.changed,
      full: progress.full + added.full.length,
      changeIds: added.changeId ? [...progress.changeIds, added.changeId] : progress.changeIds,
    };
    onProgress(progress);
  }
  return {
    ...progress,
    withoutPosition: progress.withoutPosition + trades.filter(({ _id }) => !positions.has(_id)).length,
  };
}

/** Undoes changes, the newest first. Those that are undone already, or are too old to be kept, stay as they are. */
export async function undoChanges(changeIds: readonly string[]): Promise<void> {
  for (const id of [...changeIds].reverse()) {
    await sendPatiently(async () => {
      const reply = await api.POST("/journal/changes/{id}/undo", { params: { path: { id } } });
      const { status } = reply.response;
      return status === 404 || status === 409 ? { data: {}, response: reply.response } : reply;
    });
  }
}

/** Returns a page of the trades with notes, the oldest first. */
function fetchNoted(cursor: string, limit: number) {
  const query = { noted: true, sort: "timestamp" as const, limit, ...(cursor && { cursor }) };
  return sendPatiently(() => api.GET("/trades/client", { params: { query } }));
}

/** Returns the positions of trades by the id of the trade. */
async function fetchPositions(trades: readonly NotedTrade[]): Promise<Map<string, Position>> {
  const ids = trades.map(({ _id }) => _id).join(",");
  const { results } = await sendPatiently(() =>
    api.GET("/analytics/trade-results", { params: { query: { ids } } }),
  );
  const keys = [...new Set(results.map(({ positionId }) => positionId))];
  if (keys.length === 0) return new Map();
  const query = { ids: keys.join(","), limit: keys.length };
  const page = await sendPatiently(() => api.GET("/analytics/positions", { params: { query } }));
  const byId = new Map(page.positions.map((position) => [position.id, position]));
  const byTrade = new Map<string, Position>();
  for (const { tradeId, positionId } of results) {
    const position = byId.get(positionId);
    if (position) byTrade.set(tradeId, position);
  }
  return byTrade;
}
