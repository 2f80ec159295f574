import { type FormEvent, useId, useState } from "react";
import { shapeTitle } from "#features/analytics/strategies/strategy-names.ts";
import type { DecisionDialogProps } from "#features/analytics/strategy-decisions/strategy-decisions.tsx";
import { Button } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";
import { Field } from "#ui/field.tsx";
import { FormFailure } from "#ui/form-failure.tsx";
import { TextInput } from "#ui/text-input.tsx";

const MAX_NAME_CHARS = 60;

/** Dialog that names a strategy, and thereby confirms it. */
export function StrategyRenameDialog({ strategy, busy, failure, onDecide, onClose }: DecisionDialogProps) {
  const form = useId();
  const [name, setName] = useState(strategy.name ?? "");

  function send(event: FormEvent) {
    event.preventDefault();
    onDecide({ action: "confirm", name: name.trim() });
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title="Rename strategy"
      actions={
        <>
          <Button variant="secondary" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" form={form} pending={busy}>
            Save
          </Button>
        </>
      }
    >
      {!strategy.confirmedAt && (
        <p>Saving also confirms the grouping: it will not be changed automatically any more.</p>
      )}
      <form id={form} method="post" noValidate onSubmit={send} className="text-ink">
        <Field
          label="Name"
          hint={`Leave it empty for the name “${shapeTitle(strategy)}”.`}
          className="min-h-0! pt-3"
        >
          {(control) => (
            <TextInput
              {...control}
              data-autofocus
              value={name}
              maxLength={MAX_NAME_CHARS}
              autoComplete="off"
              onChange={(event) => setName(event.currentTarget.value)}
            />
          )}
        </Field>
        <FormFailure>{failure}</FormFailure>
      </form>
    </Dialog>
  );
}
