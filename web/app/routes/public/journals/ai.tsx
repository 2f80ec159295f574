import { AI } from "#content/journals/ai.ts";
import { Journal, journalMeta } from "../journal.tsx";

export const meta = () => journalMeta(AI);

export default function AiJournal() {
  return <Journal content={AI} />;
}
