import type { EntryForm } from "#features/entry/use-entry.ts";
import { api } from "#lib/api.ts";

/** Symbols that contain this one come with it: `ITC` is in `ITCHOTELS`, too. */
const ENOUGH = 20;

/** Writes the name of a stock that was entered before, unless one is being typed. A stock that is new has none. */
export function stockNameFiller({ getValues, setValue, setFocus, getFieldState }: EntryForm) {
  return async (typed: string) => {
    const symbol = typed.trim().toUpperCase();
    const before = getValues("stockName");
    const name = symbol && (await knownName(symbol));
    const current = getValues("symbol").trim().toUpperCase() === symbol && getValues("stockName") === before;
    if (!name || name === before || !current) return;
    setValue("stockName", name, { shouldValidate: getFieldState("stockName").invalid });
    // Who is there by now types over it, as over what stood there before.
    if (document.activeElement?.id === "stockName") setFocus("stockName", { shouldSelect: true });
  };
}

/** Empty where there is none, or no answer: then it is typed. */
async function knownName(symbol: string): Promise<string> {
  try {
    const { data } = await api.GET("/trades/client", { params: { query: { q: symbol, limit: ENOUGH } } });
    return data?.trades.find((trade) => trade.symbol === symbol && trade.stockName)?.stockName ?? "";
  } catch {
    return "";
  }
}
