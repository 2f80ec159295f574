import { useEffect, useState } from "react";
import type { AnswerFieldsProps } from "#features/application/answer-fields.tsx";
import { SUGGESTED_MOTIVATION_LENGTH } from "#features/application/choices.ts";
import { count } from "#lib/format.ts";
import { Field } from "#ui/field.tsx";
import { TextArea } from "#ui/text-area.tsx";

export type MotivationFieldProps = AnswerFieldsProps & {
  /** The current text of the field. */
  text: string;
};

/** Shows a word count as a hint; shorter texts are accepted too. */
export function MotivationField({ register, errors, text }: MotivationFieldProps) {
  // The prerendered page has no draft, so the words are counted after mount.
  const [wordCount, setWordCount] = useState(0);
  useEffect(() => setWordCount(getWordCount(text)), [text]);
  const field = register("motivation");
  return (
    <div className="pt-9">
      <Field
        id="motivation"
        className="min-h-0!"
        label="Why do you want this internship?"
        hint="In your own words. We read every answer."
        error={errors.motivation?.message}
      >
        {(control) => (
          <TextArea
            {...control}
            {...field}
            onChange={(event) => {
              setWordCount(getWordCount(event.target.value));
              return field.onChange(event);
            }}
            className="min-h-40"
            placeholder={`Write at least ${SUGGESTED_MOTIVATION_LENGTH} words`}
          />
        )}
      </Field>
      <p className="mt-2 flex items-center justify-end gap-3 text-data">
        <progress
          aria-hidden="true"
          max={SUGGESTED_MOTIVATION_LENGTH}
          value={Math.min(wordCount, SUGGESTED_MOTIVATION_LENGTH)}
          className="progress h-1 w-16 overflow-hidden rounded-full"
        />
        {/* Screen readers can find it, but it is not announced at every word. */}
        <output htmlFor="motivation" aria-label="Words" aria-live="off" className="figures text-ink-2">
          {`${count(wordCount)} of ${SUGGESTED_MOTIVATION_LENGTH} words`}
        </output>
      </p>
    </div>
  );
}

/** Counts words; a sign between two spaces is not a word. */
export function getWordCount(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}
