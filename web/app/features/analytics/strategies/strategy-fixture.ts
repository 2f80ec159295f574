import type { Strategy, StrategyLeg } from "#features/analytics/analytics-api.ts";

type LegInput = Pick<StrategyLeg, "side" | "openedAt" | "closedAt"> & {
  strike: number;
  kind: "CE" | "PE";
};

const ENTRY = "2026-11-12T05:02:00Z";
const MOVE = "2026-11-18T04:35:00Z";
const EXIT = "2026-11-20T09:28:00Z";

function leg({ strike, kind, ...times }: LegInput): StrategyLeg {
  return {
    positionId: `${strike}`.padStart(20, "0"),
    symbol: `NIFTY${strike}${kind}`,
    contract: { underlying: "NIFTY", expiry: "2026-11-23", kind, strike },
    quantity: 130,
    openQuantity: times.closedAt ? 0 : 130,
    awaitingSettlement: false,
    entryPrice: 50,
    exitPrice: times.closedAt ? 40 : null,
    gross: 0,
    charges: 0,
    net: 0,
    ...times,
  };
}

/** Iron condor whose calls were moved down by 150 points; for tests. */
export const CONDOR: Strategy = {
  id: "0".repeat(20),
  shape: "ironCondor",
  state: "closed",
  underlying: "NIFTY",
  broker: "zerodha",
  tradetype: "fno",
  openedAt: ENTRY,
  closedAt: EXIT,
  timePrecision: "second",
  premium: 10_855,
  gross: 8_366,
  charges: 341,
  net: 8_025,
  creditKept: 0.77,
  daysToExpiryAtEntry: 11,
  daysToExpiryAtExit: 3,
  width: 950,
  adjusted: true,
  definedRisk: true,
  candidates: [],
  groupingId: "0".repeat(20),
  confirmedAt: null,
  legs: [
    leg({ strike: 26_200, kind: "CE", side: "short", openedAt: ENTRY, closedAt: MOVE }),
    leg({ strike: 26_400, kind: "CE", side: "long", openedAt: ENTRY, closedAt: MOVE }),
    leg({ strike: 25_500, kind: "PE", side: "short", openedAt: ENTRY, closedAt: EXIT }),
    leg({ strike: 25_300, kind: "PE", side: "long", openedAt: ENTRY, closedAt: EXIT }),
    leg({ strike: 26_050, kind: "CE", side: "short", openedAt: MOVE, closedAt: EXIT }),
    leg({ strike: 26_250, kind: "CE", side: "long", openedAt: MOVE, closedAt: EXIT }),
  ],
};
