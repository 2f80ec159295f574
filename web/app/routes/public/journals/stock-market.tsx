import { STOCK_MARKET } from "#content/journals/stock-market.ts";
import { Journal, journalMeta } from "../journal.tsx";

export const meta = () => journalMeta(STOCK_MARKET);

export default function StockMarketJournal() {
  return <Journal content={STOCK_MARKET} />;
}
