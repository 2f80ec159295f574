import { useId } from "react";
import { NOTES } from "#features/trade-detail/notes.ts";
import type { Notes } from "#features/trade-detail/use-notes.ts";
import { Button } from "#ui/button.tsx";
import { FormFailure } from "#ui/form-failure.tsx";
import { TextArea } from "#ui/text-area.tsx";
import { TextInput } from "#ui/text-input.tsx";

export function TradeNotes({ notes }: { notes: Notes }) {
  const id = useId();
  return (
    <form
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
      {notes.changed && (
        <div className="flex flex-wrap items-center gap-3">
          <Button type="submit" size="sm" pending={notes.saving}>
            Save notes
          </Button>
          <Button variant="quiet" size="sm" onClick={notes.discard}>
            Discard
          </Button>
        </div>
      )}
    </form>
  );
}
