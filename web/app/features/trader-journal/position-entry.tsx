import { MarginSection } from "#features/trader-journal/margin-section.tsx";
import { PlanFields } from "#features/trader-journal/plan-fields.tsx";
import type { Position } from "#features/trader-journal/position-facts.ts";
import { PositionFields } from "#features/trader-journal/position-fields.tsx";
import { SameSetup } from "#features/trader-journal/same-setup.tsx";
import { SaveConflicts, SaveStatus } from "#features/trader-journal/save-status.tsx";
import { usePositionEntry } from "#features/trader-journal/use-position-entry.ts";
import { Checkbox } from "#ui/checkbox.tsx";
import { LoadFailure } from "#ui/load-failure.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

type PositionEntryProps = { email: string; position: Position };

/** Entry on the page of a position: plan, setup with its rules, labels, rating and note. */
export function PositionEntry({ email, position }: PositionEntryProps) {
  const { query, editor } = usePositionEntry({ email, position });
  if (query.isError) {
    return <LoadFailure error={query.error} busy={query.isFetching} onRetry={() => void query.refetch()} />;
  }
  if (!editor) return <TableSkeleton label="Loading the journal" columns={3} />;
  const { saver, state, content, edit } = editor;
  return (
    <>
      <div className="flex flex-wrap items-baseline justify-between gap-3 border-line border-b pb-2">
        <h2 className="text-h4">Journal</h2>
        <SaveStatus state={state} />
      </div>
      <div className="mt-2">
        <SaveConflicts saver={saver} state={state} />
      </div>
      <PlanFields position={position} content={content} onEdit={edit} />
      <PositionFields content={content} onEdit={edit} />
      <MarginSection title="Review">
        <Checkbox checked={content.reviewed} onChange={(event) => edit({ reviewed: event.target.checked })}>
          This position is reviewed
        </Checkbox>
      </MarginSection>
      {content.setup && <SameSetup setup={content.setup} position={position.id} />}
    </>
  );
}
