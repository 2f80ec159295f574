/** Address of the comparison with the broker's report, a panel of the analytics page. */
export const RECONCILE_PATH = "/analytics?panel=reconcile";

/** Anchor of the list of closed trades. */
export const CLOSED_TRADES_ID = "closed-trades";

/** Address of the data issues. */
export const FIX_PATH = "/analytics/fix";
