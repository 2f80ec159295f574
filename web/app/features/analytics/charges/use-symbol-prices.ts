import { FRESH } from "#features/analytics/analytics-api.ts";
import { symbolPrices } from "#features/analytics/positions/symbol-prices.ts";
import type { Prices } from "#features/analytics/positions/valuation.ts";
import { useKeptState } from "#features/analytics/use-kept-state.ts";
import { useViewer } from "#features/analytics/viewer.ts";
import { $api } from "#lib/api-query.ts";

/** Returns the prices of open positions that the trader typed or added, as the API takes them; empty if there are none. */
export function useSymbolPrices(): string {
  const viewer = useViewer();
  const [prices = {}] = useKeptState<Prices>("prices");
  const enabled = Object.keys(prices).length > 0;
  const init = { ...viewer.requestInit };
  const { data } = $api.useQuery("get", "/analytics/open-positions", init, { ...FRESH, enabled });
  return data ? symbolPrices(data.open, prices) : "";
}
