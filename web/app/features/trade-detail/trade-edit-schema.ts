import * as v from "valibot";
import type { Trade, TradeEdit } from "#features/trade-detail/trade-requests.ts";
import { fromTimeField, toTimeField } from "#lib/india-time.ts";
import { priceField, quantityField, stockNameLimit, symbolField, timeField } from "#lib/trade-fields.ts";

export const tradeEditSchema = v.object({
  type: v.picklist(["buy", "sell"], "Choose BUY or SELL."),
  symbol: symbolField,
  stockName: v.pipe(v.string(), v.trim(), stockNameLimit),
  exchange: v.picklist(["NSE", "BSE"], "Choose NSE or BSE."),
  quantity: quantityField,
  price: priceField("price"),
  timestamp: timeField("date and time"),
});

export type TradeFields = v.InferInput<typeof tradeEditSchema>;

/** Fields in the order of the form. */
export const TRADE_FIELDS = [
  "type",
  "symbol",
  "stockName",
  "exchange",
  "quantity",
  "price",
  "timestamp",
] as const;

export function toFields(trade: Trade): TradeFields {
  const { type, symbol, stockName = "", exchange, quantity, price, timestamp, timePrecision } = trade;
  return {
    type,
    symbol,
    stockName,
    exchange,
    quantity: String(quantity),
    price: String(price),
    timestamp: toTimeField(timestamp, timePrecision),
  };
}

/**
 * Returns the request body with the fields that differ; undefined if none does. Unchanged numbers are not sent, so that
 * they keep all their decimals.
 */
export function changedFields(trade: Trade, fields: TradeFields): TradeEdit | undefined {
  const before = toFields(trade);
  const { type, symbol, stockName, exchange, quantity, price, timestamp } = fields;
  const edit: TradeEdit = {
    ...(type !== before.type && { type }),
    ...(symbol !== before.symbol && { symbol }),
    ...(stockName !== before.stockName && { stockName }),
    ...(exchange !== before.exchange && { exchange }),
    ...(quantity !== before.quantity && { quantity: Number(quantity) }),
    ...(price !== before.price && { price: Number(price) }),
    ...(timestamp !== before.timestamp && { timestamp: fromTimeField(timestamp) }),
  };
  return Object.keys(edit).length > 0 ? edit : undefined;
}
