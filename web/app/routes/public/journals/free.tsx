import { FREE } from "#content/journals/free.ts";
import { Journal, journalMeta } from "../journal.tsx";

export const meta = () => journalMeta(FREE);

export default function FreeJournal() {
  return <Journal content={FREE} />;
}
