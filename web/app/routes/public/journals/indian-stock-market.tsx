import { INDIAN_STOCK_MARKET } from "#content/journals/indian-stock-market.ts";
import { Journal, journalMeta } from "../journal.tsx";

export const meta = () => journalMeta(INDIAN_STOCK_MARKET);

export default function IndianStockMarketJournal() {
  return <Journal content={INDIAN_STOCK_MARKET} />;
}
