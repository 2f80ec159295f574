import { Plus } from "lucide-react";
import { lazy, memo, Suspense, useEffect, useState } from "react";
import { journalName } from "#content/journals/links.ts";
import type { JournalWords as Words } from "#content/journals/words.ts";
import { KINDS } from "#features/journal/kinds.ts";
import { Button } from "#ui/button.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

// In the page as it is built; in the browser the code for it comes last, and takes over what stands there already.
const loadWords = () => import("#features/journal/journal-words.tsx");
const JournalWords = import.meta.env.SSR
  ? (await loadWords()).JournalWords
  : lazy(async () => ({ default: (await loadWords()).JournalWords }));

// What a visitor wrote comes after the words. Its tabs change the address, which the words have to be ready for:
// React would drop what was built, and draw it again.
const JournalBoard = lazy(async () => {
  const [{ JournalBoard }] = await Promise.all([import("#features/journal/journal-board.tsx"), loadWords()]);
  return { default: JournalBoard };
});

export type JournalPageProps = {
  words: Words;
  /** Who is signed in, by e-mail address; empty for everybody else. */
  account: string;
};

export function JournalPage({ words, account }: JournalPageProps) {
  return (
    <>
      <Desk words={words} account={account} />
      <WordsBelow words={words} />
    </>
  );
}

function Desk({ words, account }: JournalPageProps) {
  const [adding, setAdding] = useState(false);
  // Pages are built without an address and without a journal: both show with the second render.
  const [mounted, setMounted] = useState(false);
  useEffect(() => setMounted(true), []);

  return (
    <div className="page-width pt-12 pb-16 md:pt-16">
      <div className="flex flex-wrap items-end justify-between gap-x-10 gap-y-5">
        <div className="min-w-0 max-w-[44rem]">
          <h1 tabIndex={-1} className="text-h2">
            {journalName(words)}
          </h1>
          <p className="mt-3 text-ink-2 text-lead">{words.lead}</p>
        </div>
        <Button
          icon={<Plus size={18} aria-hidden />}
          onClick={() => setAdding(true)}
          className="max-sm:h-12 max-sm:w-full"
        >
          Add Trade
        </Button>
      </div>
      {/* Down to the fold, however little is in it: the words below stay where they are when the entries come. */}
      <div className="blank-page mt-8 min-h-[max(24rem,100lvh-25rem)] sm:min-h-[max(24rem,100lvh-21rem)]">
        <div className="flow-root bg-bg pb-6">
          <Suspense fallback={<BoardSkeleton />}>
            {mounted ? (
              // Another account begins anew: its journal shares nothing with the one before.
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

/** Rendered once: until its code is there, React keeps what was built only while nothing renders it again. */
const WordsBelow = memo(function WordsBelow({ words }: { words: Words }) {
  return (
    <Suspense>
      <JournalWords words={words} />
    </Suspense>
  );
});

function BoardSkeleton() {
  return (
    <>
      <div aria-hidden="true" className="mb-5 flex h-11 items-center gap-7 border-line border-b">
        {KINDS.map(({ kind, label }) => (
          <span key={kind} className="font-medium text-ink-2 text-ui">
            {label}
          </span>
        ))}
      </div>
      <noscript>
        <p className="mb-5">The journal itself needs JavaScript; the words below do not.</p>
      </noscript>
      <TableSkeleton label="Loading trades" />
    </>
  );
}
