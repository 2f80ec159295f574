import type { ReactNode } from "react";
import { EntryFields } from "#features/trader-journal/entry-fields.tsx";
import type { EntryContent, JournalSubject } from "#features/trader-journal/journal-entry.ts";
import { positionSubject, type Strategy, strategySubject } from "#features/trader-journal/journal-subject.ts";
import { MarginSection } from "#features/trader-journal/margin-section.tsx";
import { type EditProps, PositionPlan, StrategyPlan } from "#features/trader-journal/plan-fields.tsx";
import type { Position } from "#features/trader-journal/position-facts.ts";
import { SameSetup } from "#features/trader-journal/same-setup.tsx";
import { SaveConflicts, SaveStatus } from "#features/trader-journal/save-status.tsx";
import { ScreenshotSection } from "#features/trader-journal/screenshots/screenshot-section.tsx";
import { suggestedContent, useSubjectEntry } from "#features/trader-journal/use-subject-entry.ts";
import { Checkbox } from "#ui/checkbox.tsx";
import { LoadFailure } from "#ui/load-failure.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

/** Entry on the page of a position. */
export function PositionEntry({ email, position }: { email: string; position: Position }) {
  return (
    <SubjectEntry
      email={email}
      subject={positionSubject(position)}
      suggested={suggestedContent(position)}
      plan={(editProps) => <PositionPlan position={position} {...editProps} />}
    />
  );
}

/** Entry on the page of a strategy. */
export function StrategyEntry({ email, strategy }: { email: string; strategy: Strategy }) {
  return (
    <SubjectEntry
      email={email}
      subject={strategySubject(strategy)}
      plan={(editProps) => <StrategyPlan strategy={strategy} {...editProps} />}
    />
  );
}

type SubjectEntryProps = {
  email: string;
  subject: JournalSubject;
  /** Content of a new entry; empty if absent. */
  suggested?: EntryContent;
  plan: (editProps: EditProps) => ReactNode;
};

/** Entry of a position or strategy: plan, setup with its rules, labels, rating and note. */
function SubjectEntry({ email, subject, suggested, plan }: SubjectEntryProps) {
  const { query, editor } = useSubjectEntry({ email, subject, ...(suggested && { suggested }) });
  if (query.isError) {
    return <LoadFailure error={query.error} busy={query.isFetching} onRetry={() => void query.refetch()} />;
  }
  if (!editor) return <TableSkeleton label="Loading the journal" columns={3} />;
  const { saver, state, content, edit, begin } = editor;
  return (
    <>
      <div className="flex flex-wrap items-baseline justify-between gap-3 border-line border-b pb-2">
        <h2 className="text-h4">Journal</h2>
        <SaveStatus state={state} />
      </div>
      <div className="mt-2">
        <SaveConflicts saver={saver} state={state} />
      </div>
      {plan({ content, onEdit: edit })}
      <EntryFields content={content} onEdit={edit} />
      <ScreenshotSection key={subject.key} saver={saver} onBegin={begin} />
      <MarginSection title="Review">
        <Checkbox checked={content.reviewed} onChange={(event) => edit({ reviewed: event.target.checked })}>
          {`This ${subject.kind} is reviewed`}
        </Checkbox>
      </MarginSection>
      {content.setup && <SameSetup setup={content.setup} subject={subject} />}
    </>
  );
}
