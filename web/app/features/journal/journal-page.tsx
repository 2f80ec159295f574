import { Plus } from "lucide-react";
import { lazy, memo, Suspense, useEffect, useState } from "react";
import type { JournalContent } from "#content/journals/journal-content.ts";
import { journalName } from "#content/journals/links.ts";
import { ENTRY_TYPES } from "#features/journal/entry-types.ts";
import { Button } from "#ui/button.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

// Prerendered; in the browser its code loads last and hydrates the prerendered text.
const loadArticle = () => import("#features/journal/journal-article.tsx");
const JournalArticle = import.meta.env.SSR
  ? (await loadArticle()).JournalArticle
  : lazy(async () => ({ default: (await loadArticle()).JournalArticle }));

// Waits for the article: the tabs change the URL, and React would discard an article that is not hydrated yet.
const JournalBoard = lazy(async () => {
  const [{ JournalBoard }] = await Promise.all([
    import("#features/journal/journal-board.tsx"),
    loadArticle(),
  ]);
  return { default: JournalBoard };
});

export type JournalPageProps = {
  content: JournalContent;
  /** Email address of the logged-in user; empty for a visitor. */
  account: string;
};

export function JournalPage({ content, account }: JournalPageProps) {
  return (
    <>
      <Journal content={content} account={account} />
      <Article content={content} />
    </>
  );
}

function Journal({ content, account }: JournalPageProps) {
  const [adding, setAdding] = useState(false);
  // The prerendered page has no query string and no entries; both are known after mount.
  const [mounted, setMounted] = useState(false);
  useEffect(() => setMounted(true), []);

  return (
    <div className="page-width pt-12 pb-16 md:pt-16">
      <div className="flex flex-wrap items-end justify-between gap-x-10 gap-y-5">
        <div className="min-w-0 max-w-[44rem]">
          <h1 tabIndex={-1} className="text-h2">
            {journalName(content)}
          </h1>
          <p className="mt-3 text-ink-2 text-lead">{content.lead}</p>
        </div>
        <Button
          icon={<Plus size={18} aria-hidden />}
          onClick={() => setAdding(true)}
          className="max-sm:h-12 max-sm:w-full"
        >
          Add Trade
        </Button>
      </div>
      {/* At least as high as the first screen, so that the article below does not shift when the entries load. */}
      <div className="blank-page mt-8 min-h-[max(24rem,100lvh-25rem)] sm:min-h-[max(24rem,100lvh-21rem)]">
        <div className="flow-root bg-bg pb-6">
          <Suspense fallback={<BoardSkeleton />}>
            {mounted ? (
              // Remounted for another account, whose journal shares nothing with the previous one.
              <JournalBoard key={account} account={account} adding={adding} onAdding={setAdding} />
            ) : (
              <BoardSkeleton />
            )}
          </Suspense>
        </div>
      </div>
    </div>
  );
}

/** Memoised: until its code has loaded, React keeps the prerendered text only if it is not rendered again. */
const Article = memo(function Article({ content }: { content: JournalContent }) {
  return (
    <Suspense>
      <JournalArticle content={content} />
    </Suspense>
  );
});

function BoardSkeleton() {
  return (
    <>
      <div aria-hidden="true" className="mb-5 flex h-11 items-center gap-7 border-line border-b">
        {ENTRY_TYPES.map(({ type, label }) => (
          <span key={type} className="font-medium text-ink-2 text-ui">
            {label}
          </span>
        ))}
      </div>
      <noscript>
        <p className="mb-5">The journal needs JavaScript; the text below does not.</p>
      </noscript>
      <TableSkeleton label="Loading trades" />
    </>
  );
}
