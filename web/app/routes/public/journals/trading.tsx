import { TRADING } from "#content/journals/trading.ts";
import { Journal, journalMeta } from "../journal.tsx";

export const meta = () => journalMeta(TRADING);

export default function TradingJournal() {
  return <Journal content={TRADING} />;
}
