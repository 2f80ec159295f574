import { BSE } from "#content/journals/bse.ts";
import { Journal, journalMeta } from "../journal.tsx";

export const meta = () => journalMeta(BSE);

export default function BseJournal() {
  return <Journal content={BSE} />;
}
