import { ArrowLeft, Check } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { AccessExpired } from "#features/analytics/access-expired.tsx";
import { FRESH } from "#features/analytics/analytics-api.ts";
import { CorporateActionDialog } from "#features/analytics/corporate-actions/corporate-action-dialog.tsx";
import { AnswerBanner } from "#features/analytics/fix/answer-banner.tsx";
import { AnswerHistory } from "#features/analytics/fix/answer-history.tsx";
import {
  fixTitle,
  type Issue,
  type IssueList,
  likelyAnswers,
  worthlessAnswers,
} from "#features/analytics/fix/fix-texts.ts";
import { IssueColumns, IssueRow } from "#features/analytics/fix/issue-row.tsx";
import { type Answers, useAnswers } from "#features/analytics/fix/use-answers.ts";
import { PageLinks } from "#features/analytics/page-links.tsx";
import { type Viewer, ViewerContext } from "#features/analytics/viewer.ts";
import { isProblem } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { count, plural } from "#lib/format.ts";
import { useHeadingFocus } from "#lib/heading-focus.ts";
import { Button } from "#ui/button.tsx";
import { LoadFailure } from "#ui/load-failure.tsx";
import { Result } from "#ui/money.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

/** Key of the request that sends all likely answers. */
const ALL_LIKELY = "all likely";
const ALL_WORTHLESS = "all worthless";

/** Data issues with their likely answers, those that only the trader can answer, and the history of answers. */
export function FixPage({ viewer }: { viewer: Viewer }) {
  const [entering, setEntering] = useState(false);
  const query = $api.useQuery("get", "/analytics/data-issues", { ...viewer.requestInit }, FRESH);
  const ownAnswers = useAnswers();
  const answers = viewer.isOwner ? ownAnswers : undefined;
  // The pressed button disappears with its row.
  useHeadingFocus(ownAnswers.result?.firstId ?? "");
  const { data: list, error } = query;
  if (error && !viewer.isOwner && isProblem(error) && error.status === 401) return <AccessExpired />;
  return (
    <ViewerContext value={viewer}>
      <div className="@container mx-auto max-w-[1160px]">
        <PageLinks page="fix" />
        <Link
          to="/analytics"
          data-print="no"
          className="link -mt-2 inline-flex min-h-11 items-center gap-2 text-data"
        >
          <ArrowLeft size={16} aria-hidden />
          Analytics
        </Link>
        <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
          <h1 tabIndex={-1} className="min-w-0 flex-1 basis-72 pt-1 text-[2rem] outline-none">
            {list ? fixTitle(list) : "Data issues"}
          </h1>
          {answers && (
            <Button variant="secondary" size="sm" onClick={() => setEntering(true)}>
              Enter a corporate action
            </Button>
          )}
        </div>
        {list ? (
          <Issues list={list} answers={answers} />
        ) : error ? (
          <LoadFailure error={error} busy={query.isFetching} onRetry={() => void query.refetch()} />
        ) : (
          <TableSkeleton label="Loading the data issues" columns={4} />
        )}
        <AnswerHistory answers={answers} />
        {entering && <CorporateActionDialog onClose={() => setEntering(false)} />}
      </div>
    </ViewerContext>
  );
}

function Issues({ list, answers }: { list: IssueList; answers: Answers | undefined }) {
  const { issues, total } = list;
  const likely = issues.filter((issue) => issue.answers.some((answer) => answer.likely));
  const others = issues.filter((issue) => !likely.includes(issue));
  return (
    <>
      <p role="status" className="mt-2 max-w-prose text-data text-ink-2">
        {total > 0
          ? "Sells without a buy price and expired contracts are in no figure until they are answered. What an answer may change is marked."
          : "Every sell has a buy price, and every expired contract is settled."}
      </p>
      {answers?.failure && (
        <p role="alert" className="mt-4 font-semibold text-data text-loss">
          {answers.failure}
        </p>
      )}
      {answers?.result && (
        <AnswerBanner
          title={`${plural(answers.result.answerCount, "issue")} answered`}
          result={answers.result}
          undoing={answers.busy === answers.result.firstId}
          onUndo={(firstId, lastId) => void answers.undo(firstId, lastId)}
          onDismiss={answers.dismiss}
        />
      )}
      {likely.length > 0 && (
        <section aria-labelledby="likely" className="mt-6">
          {answers && <ApplyAll list={list} likely={likely} answers={answers} />}
          <SectionHead id="likely" title={`${count(likely.length)} with a likely answer`}>
            from your own trades and our dated table of events
          </SectionHead>
          <IssueColumns answer="Likely answer" />
          <ul>
            {likely.map((issue) => (
              <IssueRow key={issue.id} issue={issue} answers={answers} />
            ))}
          </ul>
          {list.netChange !== null && (
            <p className="double-rule flex items-baseline justify-between gap-4 py-2 font-semibold text-data">
              {likely.length === 1 ? "Total" : `All ${count(likely.length)}`}
              <Result value={list.netChange} />
            </p>
          )}
        </section>
      )}
      {others.length > 0 && (
        <section aria-labelledby="others" className="mt-7">
          <SectionHead id="others" title={`${count(others.length)} that only you can answer`}>
            {answers && <WorthlessOptions issues={others} answers={answers} />}
          </SectionHead>
          <IssueColumns answer="Your answer" />
          <ul>
            {others.map((issue) => (
              <IssueRow key={issue.id} issue={issue} answers={answers} />
            ))}
          </ul>
        </section>
      )}
      {total > issues.length && (
        <p className="mt-3 text-data text-ink-2">
          {`The first ${count(issues.length)} of ${count(total)} are listed. The others follow when these are answered.`}
        </p>
      )}
    </>
  );
}

type SectionHeadProps = { id: string; title: string; children?: ReactNode };

function SectionHead({ id, title, children }: SectionHeadProps) {
  return (
    <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1 border-line border-b pb-2">
      <h2 id={id} className="text-h4">
        {title}
      </h2>
      <span className="text-data text-ink-2">{children}</span>
    </div>
  );
}

type ApplyAllProps = { list: IssueList; likely: readonly Issue[]; answers: Answers };

/** Primary button, which stays in sight on a phone. */
function ApplyAll({ list, likely, answers }: ApplyAllProps) {
  const title =
    likely.length === 1 ? "Apply the likely answer" : `Apply all ${count(likely.length)} likely answers`;
  return (
    <div
      data-sticky-bar
      data-print="no"
      className="mb-5 flex flex-wrap items-center gap-x-4 gap-y-2 border-line border-y bg-bg py-3 max-sm:fixed max-sm:inset-x-0 max-sm:bottom-16 max-sm:z-10 max-sm:mb-0 max-sm:border-b-0 max-sm:px-4"
    >
      <Button
        icon={<Check size={16} aria-hidden />}
        pending={answers.busy === ALL_LIKELY}
        onClick={() => void answers.send(ALL_LIKELY, likelyAnswers(likely))}
        className="max-sm:w-full"
      >
        {title}
      </Button>
      {list.netChange !== null && (
        <p className="text-data max-sm:hidden">
          Net P&amp;L changes by <Result value={list.netChange} />. One change, undone with one press.
        </p>
      )}
    </div>
  );
}

/** Button that settles all options at 0 whose value at expiry the log does not show. */
function WorthlessOptions({ issues, answers }: { issues: readonly Issue[]; answers: Answers }) {
  const worthless = worthlessAnswers(issues);
  if (worthless.length < 2) return null;
  return (
    <Button
      variant="secondary"
      size="sm"
      pending={answers.busy === ALL_WORTHLESS}
      onClick={() => void answers.send(ALL_WORTHLESS, worthless)}
      className="px-3! text-data!"
      data-print="no"
    >
      {`All ${count(worthless.length)} options expired worthless`}
    </Button>
  );
}
