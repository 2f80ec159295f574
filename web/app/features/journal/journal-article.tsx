import { ArrowRight, Plus } from "lucide-react";
import { type ReactNode, useId } from "react";
import { Link } from "react-router";
import type { JournalContent } from "#content/journals/journal-content.ts";
import { journalName, KEYWORD_JOURNALS } from "#content/journals/links.ts";
import { WorkedExample } from "#features/journal/worked-example.tsx";
import { date } from "#lib/format.ts";

/** The texts below the journal: introduction, example, FAQ and links to the related journals. */
export function JournalArticle({ content }: { content: JournalContent }) {
  const { why, example, questions, updated, path } = content;
  return (
    <div className="border-line border-t">
      <div className="page-width pb-16">
        <MarginSection title="Why keep a journal">
          <div className="max-w-[66ch] space-y-4">
            {why.map((paragraph) => (
              <p key={paragraph}>{paragraph}</p>
            ))}
          </div>
        </MarginSection>
        <MarginSection title="A worked example">
          <WorkedExample example={example} />
        </MarginSection>
        <MarginSection title="Questions">
          <Questions questions={questions} />
          <p className="mt-5 max-w-[66ch] text-data text-ink-2">
            Last updated on <time dateTime={updated}>{date(updated)}</time>. Taxes, charges and rules change:
            check them before you rely on them. This is not tax or investment advice.
          </p>
        </MarginSection>
        <MarginSection title="Related journals">
          <RelatedJournals current={path} />
        </MarginSection>
      </div>
    </div>
  );
}

function Questions({ questions }: Pick<JournalContent, "questions">) {
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

/** Section with its heading left of the margin rule. */
function MarginSection({ title, children }: { title: string; children: ReactNode }) {
  const heading = useId();
  return (
    <section aria-labelledby={heading} className="grid md:grid-cols-[13rem_1fr]">
      <h2 id={heading} className="pt-10 text-h4 md:pr-6 md:pt-8">
        {title}
      </h2>
      <div className="border-rule pt-4 pb-2 md:border-l md:py-8 md:pl-10">{children}</div>
    </section>
  );
}
