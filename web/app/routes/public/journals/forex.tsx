import { FOREX } from "#content/journals/forex.ts";
import { Journal, journalMeta } from "../journal.tsx";

export const meta = () => journalMeta(FOREX);

export default function ForexJournal() {
  return <Journal content={FOREX} />;
}
