import { useQueryClient } from "@tanstack/react-query";
import { useLocation, useNavigate } from "react-router";
import { ENTRY_PATH, entryState } from "#features/entry/entry-intent.ts";
import { deskPath } from "#features/shell/desk-items.ts";
import { DEFAULT_VIEW } from "#features/trades/log-view.ts";
import { tradePages } from "#features/trades/trade-pages.ts";
import { ADD_TRADES } from "./panel.ts";

/** Returns an action that opens the entry form for the book of the newest trade, or the Add Trades form without one. */
export function useAddTrade(email: string): () => void {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  return () => {
    // The form is already open.
    if (pathname.startsWith(ENTRY_PATH)) return;
    const newest = client.getQueryData(tradePages(email, DEFAULT_VIEW).queryKey)?.pages[0]?.trades[0];
    if (!newest) return void navigate(deskPath(ADD_TRADES));
    const { broker, tradetype } = newest;
    void navigate(ENTRY_PATH, { state: entryState({ broker, tradetype, force: "append" }) });
  };
}
