import { useQueryClient } from "@tanstack/react-query";
import { HistoryList } from "#features/history/history-list.tsx";
import { reloadTrades } from "#features/trades/trade-pages.ts";

export function HistoryPanel() {
  const client = useQueryClient();
  return <HistoryList onUndone={() => void reloadTrades(client)} />;
}
