import { ArrowRight, Plus } from "lucide-react";
import { Link } from "react-router";
import { journalName, KEYWORD_JOURNALS } from "#content/journals/links.ts";
import type { JournalWords as Words } from "#content/journals/words.ts";
import { MarginSection } from "#features/journal/margin-section.tsx";
import { WorkedExample } from "#features/journal/worked-example.tsx";
import { date } from "#lib/format.ts";

/** What the page says about journals of its kind, under the journal itself. */
export function JournalWords({ words }: { words: Words }) {
  return (
    <div className="border-line border-t">
      <div className="page-width pb-16">
        <MarginSection title="Why keep one">
          <div className="max-w-[66ch] space-y-4">
            {words.why.map((paragraph) => (
              <p key={paragraph}>{paragraph}</p>
            ))}
          </div>
        </MarginSection>
        <MarginSection title="A worked example">
          <WorkedExample example={words.example} />
        </MarginSection>
        <MarginSection title="Questions">
          <Questions questions={words.questions} />
          <p className="mt-5 max-w-[66ch] text-data text-ink-2">
            Written on <time dateTime={words.updated}>{date(words.updated)}</time>. Taxes, charges and rules
            change: look them up before you rely on them. This is no tax or investment advice.
          </p>
        </MarginSection>
        <MarginSection title="Related journals">
          <RelatedJournals current={words.path} />
        </MarginSection>
      </div>
    </div>
  );
}

function Questions({ questions }: Pick<Words, "questions">) {
  return (
    <div className="max-w-3xl border-line border-b">
      {questions.map(({ question, answer }, index) => (
        <details key={question} open={index === 0} className="group border-line border-t">
          <summary className="flex min-h-12 list-none items-center justify-between gap-4 py-2.5 font-semibold [&::-webkit-details-marker]:hidden">
            {question}
            <Plus
              size={18}
              aria-hidden
              className="shrink-0 text-brand transition-transform duration-120 ease-out group-open:rotate-45"
            />
          </summary>
          <p className="max-w-[66ch] pb-5 text-ink-2">{answer}</p>
        </details>
      ))}
    </div>
  );
}

function RelatedJournals({ current }: { current: string }) {
  return (
    <nav aria-label="Related journals" className="max-w-3xl">
      <ul className="grid gap-x-10 sm:grid-cols-2">
        {KEYWORD_JOURNALS.map((journal) => (
          <li key={journal.path} className="border-line border-b">
            <Link
              to={journal.path}
              aria-current={journal.path === current ? "page" : undefined}
              className="group flex min-h-12 items-center justify-between gap-3 py-2 font-medium text-ui hover:text-brand aria-[current=page]:font-semibold"
            >
              {journalName(journal)}
              {journal.path === current ? (
                <span className="rounded-tag bg-brand-soft px-2 font-semibold text-brand text-floor">
                  This page
                </span>
              ) : (
                <ArrowRight size={17} aria-hidden className="shrink-0 text-brand" />
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
