import { useQueryClient } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { useNavigate } from "react-router";
import { ENTRY_PATH, entryState } from "#features/entry/entry-intent.ts";
import { deskPath } from "#features/shell/desk-items.ts";
import type { DeletedTrades } from "#features/trade-detail/trade-requests.ts";
import { TradeLog } from "#features/trades/trade-log.tsx";
import { findTrade, reloadTrades, removeTrades, replaceTrade } from "#features/trades/trade-pages.ts";
import { ADD_TRADES, HISTORY } from "./panel.ts";
import { useOpenTrade } from "./use-open-trade.ts";

const loadSheet = () => import("#features/trade-detail/trade-sheet.tsx");
const TradeSheet = lazy(async () => ({ default: (await loadSheet()).TradeSheet }));
const UndoBanner = lazy(async () => ({
  default: (await import("#features/history/undo-banner.tsx")).UndoBanner,
}));

async function openAnalytics(): Promise<string | undefined> {
  return (await import("#features/session/open-analytics.ts")).openAnalytics();
}

export type LogPanelProps = { user: { name: string; email: string }; head: ReactNode };

/** The Trade Log with the details of the open trade. */
export function LogPanel({ user, head }: LogPanelProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const openTrade = useOpenTrade();
  const [deleted, setDeleted] = useState<DeletedTrades & { undone?: string }>();

  return (
    <>
      <TradeLog
        user={user}
        onAddFirst={() => navigate(deskPath(ADD_TRADES))}
        onAddTrades={({ broker, tradetype }) =>
          navigate(ENTRY_PATH, { state: entryState({ broker, tradetype, force: "append" }) })
        }
        onOpenTrade={({ _id }) => {
          // Loads while the URL changes.
          void loadSheet();
          openTrade.open(_id);
        }}
        onHistory={() => navigate(deskPath(HISTORY))}
        openAnalytics={openAnalytics}
        head={
          <>
            {head}
            <div role="status">
              {deleted && (
                <Suspense>
                  <UndoBanner
                    key={deleted.changeId}
                    message={deleted.message}
                    change={deleted}
                    undone={deleted.undone}
                    onUndone={(undone) => {
                      setDeleted({ ...deleted, undone });
                      void reloadTrades(client);
                    }}
                    onDismiss={() => setDeleted(undefined)}
                  />
                </Suspense>
              )}
            </div>
          </>
        }
      />
      {openTrade.id && (
        <Suspense>
          <TradeSheet
            key={openTrade.id}
            email={user.email}
            id={openTrade.id}
            initialTrade={findTrade(client, openTrade.id)}
            onClose={openTrade.close}
            onChanged={(trade) => replaceTrade(client, trade)}
            onDeleted={(done) => {
              removeTrades(client, done.isDeleted, done.total);
              setDeleted(done);
              openTrade.close();
            }}
          />
        </Suspense>
      )}
    </>
  );
}
