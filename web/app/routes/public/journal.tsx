import { journalName } from "#content/journals/links.ts";
import type { JournalWords } from "#content/journals/words.ts";
import { JournalPage } from "#features/journal/journal-page.tsx";
import { useSession } from "#features/session/session-store.ts";
import { breadcrumbs, faqPage } from "#lib/json-ld.ts";
import { pageMeta } from "#lib/seo.ts";

/** What the routes in `journals/` share. Each is a file of its own, so that a page loads its own words alone. */
export function journalMeta(words: JournalWords) {
  const { path, description, updated, questions } = words;
  const name = journalName(words);
  return pageMeta({
    title: name,
    description,
    path,
    updated,
    jsonLd: [
      faqPage(questions),
      breadcrumbs([
        { name: "Home", path: "/" },
        { name, path },
      ]),
    ],
  });
}

export function Journal({ words }: { words: JournalWords }) {
  const { user } = useSession();
  return <JournalPage words={words} account={user.email} />;
}
