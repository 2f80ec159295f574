import type { QueryClient } from "@tanstack/react-query";
import type { Schemas } from "#lib/api.ts";
import type { paths } from "#lib/api-schema.d.ts";

export type Overview = Schemas["AnalyticsOverview"];
export type Figures = Schemas["Figures"];
export type Day = Overview["days"][number];
export type Bin = Overview["distribution"][number];
export type GridCell = Overview["grid"][number];
export type SymbolCurve = Overview["symbols"][number];
export type ClosedTrade = Schemas["ClosedTrade"];
export type Position = Schemas["Position"];
export type PositionPage = Reply<"/analytics/positions">;
export type PositionDetail = Reply<"/analytics/positions/{id}">;
export type Strategy = Schemas["Strategy"];
export type StrategyLeg = Schemas["StrategyLeg"];
export type StrategyStep = Schemas["StrategyStep"];
export type StrategyPayoff = Schemas["StrategyPayoff"];
export type StrategyFigures = Schemas["StrategyFigures"];
export type StrategyShape = Schemas["StrategyShape"];
export type StrategyDecision = Schemas["StrategyDecision"];
export type StrategyDetail = Reply<"/analytics/strategies/{id}">;
type Reply<Path extends "/analytics/positions" | "/analytics/positions/{id}" | "/analytics/strategies/{id}"> =
  paths[Path]["get"]["responses"][200]["content"]["application/json"];
export type ChargeComponent = keyof Schemas["ChargeComponents"];

/** Query option: fetches again whenever a component mounts, because the figures change with the trades. */
export const FRESH = { staleTime: 0 } as const;

/** Fetches all analytics on the page again; a corporate action or an opening holding changes every figure. */
export function refreshAnalytics(client: QueryClient): Promise<void> {
  return client.invalidateQueries({
    predicate: ({ queryKey: [, path] }) => typeof path === "string" && path.startsWith("/analytics/"),
  });
}
