import { NSE } from "#content/journals/nse.ts";
import { Journal, journalMeta } from "../journal.tsx";

export const meta = () => journalMeta(NSE);

export default function NseJournal() {
  return <Journal content={NSE} />;
}
