import { useQueryClient } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { useNavigate } from "react-router";
import { ENTRY_PATH, entryState } from "#features/entry/entry-intent.ts";
import { deskPath } from "#features/shell/desk-items.ts";
import type { Deleted } from "#features/trade-detail/trade-requests.ts";
import { TradeLog } from "#features/trades/trade-log.tsx";
import { dropTrades, findTrade, forgetTrades, putTrade } from "#features/trades/trade-pages.ts";
import { ADD_TRADES, HISTORY } from "./panel.ts";
import { useTradeAddress } from "./use-trade-address.ts";

const loadSheet = () => import("#features/trade-detail/trade-sheet.tsx");
const TradeSheet = lazy(async () => ({ default: (await loadSheet()).TradeSheet }));
const UndoBanner = lazy(async () => ({
  default: (await import("#features/history/undo-banner.tsx")).UndoBanner,
}));

async function openAnalytics(): Promise<string | undefined> {
  return (await import("#features/session/open-analytics.ts")).openAnalytics();
}

export type LogPanelProps = { user: { name: string; email: string }; head: ReactNode };

/** The log, and what one does from it. */
export function LogPanel({ user, head }: LogPanelProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const address = useTradeAddress();
  const [deleted, setDeleted] = useState<Deleted & { undone?: string }>();

  return (
    <>
      <TradeLog
        user={user}
        onAddFirst={() => navigate(deskPath(ADD_TRADES))}
        onAddTrades={({ broker, tradetype }) =>
          navigate(ENTRY_PATH, { state: entryState({ broker, tradetype, force: "append" }) })
        }
        onOpenTrade={({ _id }) => {
          // On its way while the address changes.
          void loadSheet();
          address.open(_id);
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
                    words={deleted.words}
                    change={deleted}
                    undone={deleted.undone}
                    onUndone={(undone) => {
                      setDeleted({ ...deleted, undone });
                      void forgetTrades(client);
                    }}
                    onDismiss={() => setDeleted(undefined)}
                  />
                </Suspense>
              )}
            </div>
          </>
        }
      />
      {address.id && (
        <Suspense>
          <TradeSheet
            key={address.id}
            email={user.email}
            id={address.id}
            known={findTrade(client, address.id)}
            onClose={address.close}
            onChanged={(trade) => putTrade(client, trade)}
            onDeleted={(done) => {
              dropTrades(client, done.gone, done.total);
              setDeleted(done);
              address.close();
            }}
          />
        </Suspense>
      )}
    </>
  );
}
