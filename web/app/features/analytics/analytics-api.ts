import type { Schemas } from "#lib/api.ts";

export type Overview = Schemas["AnalyticsOverview"];
export type Figures = Schemas["Figures"];
export type Day = Overview["days"][number];
export type Bin = Overview["distribution"][number];
export type GridCell = Overview["grid"][number];
export type SymbolCurve = Overview["symbols"][number];
export type ClosedTrade = Schemas["ClosedTrade"];
export type ChargeComponent = keyof Schemas["ChargeComponents"];

/** Figures follow the trades: what is shown again is asked for again, while the old ones stay on the page. */
export const FRESH = { staleTime: 0 } as const;
