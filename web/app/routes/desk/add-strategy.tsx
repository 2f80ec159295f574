import { useQueryClient } from "@tanstack/react-query";
import { refreshAnalytics } from "#features/analytics/analytics-api.ts";
import { loadManualBook } from "#features/entry/manual-book.ts";
import { bookOf } from "#lib/books.ts";
import { useOwnBrokers } from "#lib/broker-accounts.ts";
import { reloadAddedTrades } from "./reload-added-trades.ts";
import { StrategyEntryButton } from "./strategy-entry-button.tsx";

/** Button that adds a strategy to the broker that was last used for manual entry, or to the trader's first broker. */
export function AddStrategy({ email }: { email: string }) {
  const client = useQueryClient();
  const [first] = useOwnBrokers();
  const broker = loadManualBook()?.broker ?? first?.value;
  return (
    <StrategyEntryButton
      email={email}
      book={bookOf({ ...(broker && { broker }), tradetype: "fno" })}
      onAdded={() => {
        reloadAddedTrades(client);
        void refreshAnalytics(client);
      }}
    />
  );
}
