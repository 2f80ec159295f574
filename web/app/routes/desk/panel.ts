// The panels of the dashboard by their index in the URL.
export const ADD_TRADES = 0;
export const TRADE_LOG = 1;
export const MANUAL_ENTRY = 2;
export const HISTORY = 3;

export type Panel = typeof ADD_TRADES | typeof TRADE_LOG | typeof MANUAL_ENTRY | typeof HISTORY;

/** Reads the panel from the URL; undefined if there is none or it does not exist. */
export function parsePanel(params: URLSearchParams): Panel | undefined {
  const panel = params.get("panel");
  if (panel === "0") return ADD_TRADES;
  if (panel === "1") return TRADE_LOG;
  if (panel === "2") return MANUAL_ENTRY;
  if (panel === "3") return HISTORY;
  return undefined;
}

/** Returns true for the paths of the desk layout, whose state is kept between its pages. */
export function isDeskPage(pathname: string): boolean {
  return /^\/(dashboard|add-new-trades|account|analytics(\/\w+){0,2}|journal(\/[^/]+)?)\/?$/.test(pathname);
}
