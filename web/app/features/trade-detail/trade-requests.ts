import { queryOptions } from "@tanstack/react-query";
import { api, type Schemas } from "#lib/api.ts";
import { tradeName } from "#lib/contract.ts";

export type Trade = Schemas["Trade"];
export type TradeEdit = Schemas["TradeEdit"];

export function tradeQuery(id: string) {
  return queryOptions({
    queryKey: ["get", "/trades/{id}", id],
    queryFn: async ({ signal }) => {
      const { data, error } = await api.GET("/trades/{id}", { params: { path: { id } }, signal });
      if (data) return data;
      throw error ?? new Error("The server gave no answer.");
    },
    staleTime: 0,
    gcTime: 0,
  });
}

export function editTrade(id: string, body: TradeEdit) {
  return api.PATCH("/trades/{id}", { params: { path: { id } }, body });
}

export type DeletedTrades = Pick<Trade, "broker" | "tradetype"> & {
  changeId: string;
  /** Number of trades in the log after the deletion, including trades that are not loaded. */
  total: number;
  /** "BUY INFY was deleted." */
  message: string;
  /** Returns true for the deleted trades. */
  isDeleted: (trade: Trade) => boolean;
};

/** Deletes a trade, or both legs of its entry. Throws the error response on failure. */
export async function deleteTrade(trade: Trade, pair: boolean): Promise<DeletedTrades> {
  const { data, error } = await api.DELETE("/trades/{id}", {
    params: { path: { id: trade._id }, query: { pair } },
  });
  if (!data) throw error ?? new Error("The server gave no answer.");
  const side = trade.type === "buy" ? "BUY" : "SELL";
  return {
    broker: trade.broker,
    tradetype: trade.tradetype,
    changeId: data.changeId,
    total: data.total,
    message:
      data.deleted > 1
        ? `Both legs of ${tradeName(trade)} were deleted.`
        : `${side} ${tradeName(trade)} was deleted.`,
    isDeleted: ({ _id, pairId }) =>
      _id === trade._id || (pair && pairId !== undefined && pairId === trade.pairId),
  };
}
