import type { EntryContent } from "#features/trader-journal/journal-entry.ts";
import { LabelChoice, LabelsField, RatingField } from "#features/trader-journal/label-fields.tsx";
import { MarginSection } from "#features/trader-journal/margin-section.tsx";
import { NoteEditor } from "#features/trader-journal/note-editor.tsx";
import { RuleChecks } from "#features/trader-journal/rule-checks.tsx";
import { useSuggestions } from "#features/trader-journal/use-labels.ts";

/** Keys of setups and mistakes, in the order of the choices. `r` begins a rating. */
export const SETUP_KEYS = ["1", "2", "3", "4", "5", "6", "7", "8", "9"] as const;
export const MISTAKE_KEYS = ["q", "w", "e", "t", "y", "i", "o", "p", "u"] as const;

type EntryFieldsProps = {
  content: EntryContent;
  onEdit: (changed: Partial<EntryContent>) => void;
  /** Shows the keys of the review queue. */
  withKeys?: boolean;
};

/** Fields of the entry of a position or strategy. */
export function EntryFields({ content, onEdit, withKeys = false }: EntryFieldsProps) {
  const [setups, mistakes] = [useSuggestions("setup"), useSuggestions("mistake")];
  const [tags, emotions] = [useSuggestions("tag"), useSuggestions("emotion")];
  return (
    <>
      <MarginSection title="Setup">
        <LabelChoice
          label="Setup"
          value={content.setup}
          suggestions={setups}
          {...(withKeys && { keys: SETUP_KEYS })}
          onChange={(setup) => onEdit({ setup })}
        />
        <RuleChecks content={content} onEdit={onEdit} />
      </MarginSection>
      <MarginSection title="Mistakes">
        <LabelsField
          label="Mistakes"
          tone="loss"
          values={content.mistakes}
          suggestions={mistakes}
          {...(withKeys && { keys: MISTAKE_KEYS })}
          onChange={(values) => onEdit({ mistakes: values })}
        />
      </MarginSection>
      <MarginSection title="Rating" hint={withKeys && "r, then 1 to 5"}>
        <RatingField value={content.rating} onChange={(rating) => onEdit({ rating })} />
        <p className="mt-2 text-data text-ink-3">How well you traded it, not what it paid</p>
      </MarginSection>
      <MarginSection title="Tags">
        <LabelsField
          label="Tags"
          values={content.tags}
          suggestions={tags}
          onChange={(values) => onEdit({ tags: values })}
        />
      </MarginSection>
      <MarginSection title="Emotion">
        <LabelChoice
          label="Emotion"
          value={content.emotion}
          suggestions={emotions}
          onChange={(emotion) => onEdit({ emotion })}
        />
      </MarginSection>
      <MarginSection title="Note">
        <NoteEditor label="Note" rows={2} value={content.note} onChange={(note) => onEdit({ note })} />
      </MarginSection>
    </>
  );
}
