import { useState } from "react";
import { Link } from "react-router";
import { AnswerForm } from "#features/analytics/fix/answer-form.tsx";
import { type Issue, KIND_NAMES, type ProposedAnswer, touches } from "#features/analytics/fix/fix-texts.ts";
import type { Answers } from "#features/analytics/fix/use-answers.ts";
import { Button } from "#ui/button.tsx";
import { Result } from "#ui/money.tsx";

/** Columns of a row where there is room; narrower rows are stacked. */
const COLUMNS =
  "@min-[58rem]:grid @min-[58rem]:grid-cols-[6.5rem_minmax(0,1fr)_21rem_8.5rem_8rem] @min-[58rem]:items-start";

/** Heads of the columns; the cells of a row say the same to screen readers. */
export function IssueColumns({ answer }: { answer: string }) {
  return (
    <div
      aria-hidden="true"
      className={`hidden border-line border-b text-floor text-ink-2 ${COLUMNS} *:px-3 *:py-1.5`}
    >
      <span className="pl-0!">Kind</span>
      <span className="border-rule border-l">Issue and evidence</span>
      <span>{answer}</span>
      <span>Touches</span>
      <span className="pr-0! text-right">Net P&amp;L</span>
    </div>
  );
}

export type IssueRowProps = {
  issue: Issue;
  /** Undefined for a guest, who cannot answer. */
  answers: Answers | undefined;
};

/** Data issue: kind, sentence, evidence, answers, the figures it touches and its effect. */
export function IssueRow({ issue, answers }: IssueRowProps) {
  const { kind, title, evidence, netChange } = issue;
  const effect =
    netChange === null ? <span className="text-ink-2">Waiting</span> : <Result value={netChange} />;
  return (
    <li className={`border-line border-b text-data ${COLUMNS} @min-[58rem]:*:px-3 @min-[58rem]:*:py-2.5`}>
      <div className="flex items-baseline justify-between gap-3 pt-3 text-ink-2 @min-[58rem]:pl-0!">
        <span>{KIND_NAMES[kind]}</span>
        <span className="@min-[58rem]:hidden">{effect}</span>
      </div>
      <div className="min-w-0 border-rule @min-[58rem]:border-l">
        <h3 className="wrap-anywhere font-sans font-semibold text-ui tracking-normal">{title}</h3>
        <p className="text-ink-2">{evidence}</p>
      </div>
      <div className="pt-2 @min-[58rem]:pt-2!">
        {answers ? <RowAnswers issue={issue} answers={answers} /> : null}
      </div>
      <p className="pt-1 pb-3 text-floor text-ink-2 @min-[58rem]:text-data">
        <span className="@min-[58rem]:sr-only">Touches: </span>
        {touches(issue)}
      </p>
      <p className="hidden text-right @min-[58rem]:block @min-[58rem]:pr-0!">
        <span className="sr-only">Net P&amp;L: </span>
        {effect}
      </p>
    </li>
  );
}

function RowAnswers({ issue, answers: { busy, send } }: { issue: Issue; answers: Answers }) {
  const [first] = issue.answers;
  // An answer that needs values is open from the start if it is the first one.
  const [opened, setOpened] = useState(first && first.inputs.length > 0 ? first.code : undefined);
  const form = issue.answers.find(({ code }) => code === opened);

  function choose(answer: ProposedAnswer) {
    if (answer.inputs.length > 0) setOpened(opened === answer.code ? undefined : answer.code);
    else void send(`${issue.id} ${answer.code}`, [{ issueId: issue.id, answer: answer.code }]);
  }

  return (
    <div className="space-y-2">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        {issue.answers.map((answer, index) =>
          answer.code === opened && index === 0 ? null : (
            <Button
              key={answer.code}
              variant={answer.likely ? "secondary" : "quiet"}
              size="sm"
              pending={busy === `${issue.id} ${answer.code}`}
              aria-expanded={answer.inputs.length > 0 ? answer.code === opened : undefined}
              onClick={() => choose(answer)}
              className="px-3! text-data! pointer-coarse:h-11"
            >
              {answer.label}
              <span className="sr-only">{`: ${issue.title}`}</span>
            </Button>
          ),
        )}
        {issue.tradeId && (
          <Link to={`/dashboard?panel=1&trade=${issue.tradeId}`} className="link px-1 py-2 text-data">
            Open the trade
          </Link>
        )}
      </div>
      {form && form.inputs.length > 0 && (
        <AnswerForm
          key={form.code}
          issue={issue}
          answer={form}
          busy={busy === `${issue.id} ${form.code}`}
          onAnswer={(answer) => void send(`${issue.id} ${form.code}`, [answer])}
        />
      )}
    </div>
  );
}
