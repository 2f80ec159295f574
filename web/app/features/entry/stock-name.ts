import type { EntryForm } from "#features/entry/use-entry.ts";
import { api } from "#lib/api.ts";

/** Number of trades to search. The search also returns longer symbols: `ITC` finds `ITCHOTELS`. */
const MAX_TRADES = 20;

/** Returns a function that fills in the stock name of an earlier trade in the symbol, unless the trader typed one. */
export function stockNameFiller({ getValues, setValue, setFocus, getFieldState }: EntryForm) {
  return async (typed: string) => {
    const symbol = typed.trim().toUpperCase();
    const before = getValues("stockName");
    const name = symbol && (await findStockName(symbol));
    const current = getValues("symbol").trim().toUpperCase() === symbol && getValues("stockName") === before;
    if (!name || name === before || !current) return;
    setValue("stockName", name, { shouldValidate: getFieldState("stockName").invalid });
    // If the field has the focus, typing replaces the name.
    if (document.activeElement?.id === "stockName") setFocus("stockName", { shouldSelect: true });
  };
}

/** Returns the stock name of an earlier trade; empty if there is none or the request fails. */
async function findStockName(symbol: string): Promise<string> {
  try {
    const { data } = await api.GET("/trades/client", { params: { query: { q: symbol, limit: MAX_TRADES } } });
    return data?.trades.find((trade) => trade.symbol === symbol && trade.stockName)?.stockName ?? "";
  } catch {
    return "";
  }
}
