import clsx from "clsx";
import { useId } from "react";
import { NOTES } from "#features/trade-detail/notes.ts";
import type { Notes } from "#features/trade-detail/use-notes.ts";
import { Button } from "#ui/button.tsx";
import { FormFailure } from "#ui/form-failure.tsx";
import { TextArea } from "#ui/text-area.tsx";
import { TextInput } from "#ui/text-input.tsx";

/** Notes of a trade. The buttons that save them are in the footer of the sheet. */
export function TradeNotes({ formId, notes }: { formId: string; notes: Notes }) {
  const id = useId();
  return (
    <form
      id={formId}
      className="space-y-4 pt-3 text-ink"
      onSubmit={(event) => {
        event.preventDefault();
        void notes.save();
      }}
    >
      {NOTES.map(({ key, label, placeholder }) => (
        <div key={key}>
          <label htmlFor={id + key} className="block pb-1.5 font-semibold text-ui">
            {label}
          </label>
          <TextArea
            id={id + key}
            maxLength={2_000}
            placeholder={placeholder}
            value={notes.text(key)}
            onChange={(event) => notes.write(key, event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void notes.save();
            }}
          />
        </div>
      ))}
      <div>
        <label htmlFor={`${id}stopLoss`} className="block pb-1.5 font-semibold text-ui">
          Stop loss
        </label>
        <TextInput
          id={`${id}stopLoss`}
          inputMode="decimal"
          autoComplete="off"
          maxLength={20}
          placeholder="₹"
          className="figures"
          value={notes.text("stopLoss")}
          onChange={(event) => notes.write("stopLoss", event.currentTarget.value)}
        />
      </div>
      <FormFailure>{notes.failure}</FormFailure>
    </form>
  );
}

/** States whether the notes are saved, with buttons to save or discard them. */
export function NotesStatus({ formId, notes }: { formId: string; notes: Notes }) {
  const text = notes.failure
    ? "Your notes are not saved."
    : notes.saving
      ? "Saving your notes."
      : notes.changed
        ? "Unsaved notes. Closing saves them."
        : "Closing saves your notes.";
  return (
    <div className="flex w-full flex-wrap items-center justify-between gap-x-4 gap-y-2 border-line border-t pt-3">
      <p role="status" className={clsx("text-data", notes.changed ? "font-semibold text-ink" : "text-ink-2")}>
        {text}
      </p>
      {notes.changed && (
        <div className="flex flex-wrap gap-2">
          <Button variant="quiet" size="sm" onClick={notes.discard}>
            Discard
          </Button>
          <Button type="submit" form={formId} size="sm" pending={notes.saving}>
            Save notes
          </Button>
        </div>
      )}
    </div>
  );
}
