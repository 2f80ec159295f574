import { useEffect, useState } from "react";
import { MOTIVATION_WORDS } from "#content/application.ts";
import type { AnswerFieldsProps } from "#features/application/answer-fields.tsx";
import { wordCount } from "#features/application/word-count.ts";
import { count } from "#lib/format.ts";
import { Field } from "#ui/field.tsx";
import { TextArea } from "#ui/text-area.tsx";

export type MotivationFieldProps = AnswerFieldsProps & {
  /** What stands there already. */
  text: string;
};

/** The count is a hint, no rule: fewer words are taken, too. */
export function MotivationField({ register, errors, text }: MotivationFieldProps) {
  // The page is built without a draft: its words are counted after it is drawn.
  const [words, setWords] = useState(0);
  useEffect(() => setWords(wordCount(text)), [text]);
  const field = register("motivation");
  return (
    <div className="pt-9">
      <Field
        id="motivation"
        className="min-h-0!"
        label="Why do you want this internship?"
        hint="In your own way. We read every one."
        error={errors.motivation?.message}
      >
        {(control) => (
          <TextArea
            {...control}
            {...field}
            onChange={(event) => {
              setWords(wordCount(event.target.value));
              return field.onChange(event);
            }}
            className="min-h-40"
            placeholder={`Write at least ${MOTIVATION_WORDS} words`}
          />
        )}
      </Field>
      <p className="mt-2 flex items-center justify-end gap-3 text-data">
        <progress
          aria-hidden="true"
          max={MOTIVATION_WORDS}
          value={Math.min(words, MOTIVATION_WORDS)}
          className="progress h-1 w-16 overflow-hidden rounded-full"
        />
        {/* Not read out at every word; it is there for who looks for it. */}
        <output htmlFor="motivation" aria-label="Words" aria-live="off" className="figures text-ink-2">
          {count(words)} of {MOTIVATION_WORDS} words
        </output>
      </p>
    </div>
  );
}
