import { CRYPTO } from "#content/journals/crypto.ts";
import { Journal, journalMeta } from "../journal.tsx";

export const meta = () => journalMeta(CRYPTO);

export default function CryptoJournal() {
  return <Journal content={CRYPTO} />;
}
