import type { JournalContent } from "#content/journals/journal-content.ts";
import { journalName } from "#content/journals/links.ts";
import { JournalPage } from "#features/journal/journal-page.tsx";
import { useSession } from "#features/session/session-store.ts";
import { breadcrumbs, faqPage } from "#lib/json-ld.ts";
import { pageMeta } from "#lib/seo.ts";

/**
 * Shared by the routes in `journals/`. Each journal is a route file of its own, so that a page loads only its own texts.
 */
export function journalMeta(content: JournalContent) {
  const { path, description, updated, questions } = content;
  const name = journalName(content);
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

export function Journal({ content }: { content: JournalContent }) {
  const { user } = useSession();
  return <JournalPage content={content} account={user.email} />;
}
