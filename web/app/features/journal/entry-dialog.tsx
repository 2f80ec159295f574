import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { useState } from "react";
import { useForm, useWatch } from "react-hook-form";
import type { Entry } from "#features/journal/entries.ts";
import { EntryFieldset, type EntryForm } from "#features/journal/entry-fieldset.tsx";
import {
  EMPTY,
  ENTRY_FIELDS,
  type EntryFields,
  entrySchema,
  type ValidEntry,
} from "#features/journal/entry-schema.ts";
import { type EntryType, entryTypeLabel } from "#features/journal/entry-types.ts";
import { calculateOutcome } from "#features/journal/outcome.ts";
import { newEntry, saveEntry } from "#features/journal/save-entry.ts";
import { WinLoss } from "#features/journal/win-loss.tsx";
import { Button } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";
import { ErrorSummary } from "#ui/error-summary.tsx";
import { fieldMessages } from "#ui/field-messages.ts";
import { Result } from "#ui/money.tsx";

const FORM_ID = "journal-entry";

export type EntryDialogProps = {
  open: boolean;
  type: EntryType;
  onClose: () => void;
  onSaved: (entry: Entry) => void;
};

/** Dialog that adds a trade. It keeps the input when it is closed, and resets after saving. */
export function EntryDialog({ open, type, onClose, onSaved }: EntryDialogProps) {
  const form = useForm<EntryFields, unknown, ValidEntry>({
    resolver: standardSchemaResolver(entrySchema),
    defaultValues: EMPTY,
    shouldFocusError: false,
  });
  const [attempts, setAttempts] = useState(0);
  const [sending, setSending] = useState(false);
  const [failure, setFailure] = useState<string>();
  const messages = fieldMessages(form.formState.errors, ENTRY_FIELDS);

  async function send(entry: ValidEntry) {
    if (sending) return;
    setSending(true);
    setFailure(undefined);
    const result = await saveEntry(newEntry(type, entry));
    setSending(false);
    if (result.kind === "saved") {
      form.reset(EMPTY);
      onSaved(result.entry);
    } else if (result.kind === "invalid") {
      for (const { field, message } of result.fields) form.setError(field, { type: "server", message });
      setAttempts((n) => n + 1);
    } else setFailure(result.message);
  }

  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Add trade"
      className="max-w-xl"
      actions={
        <>
          {failure && (
            <p role="alert" className="mr-auto self-center font-semibold text-loss text-ui">
              {failure}
            </p>
          )}
          <Button variant="secondary" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" form={FORM_ID} pending={sending}>
            Add Trade
          </Button>
        </>
      }
    >
      <p className="text-data">{entryTypeLabel(type)}, prices in rupees, times in India time</p>
      <form
        id={FORM_ID}
        noValidate
        aria-label="Add trade"
        onSubmit={form.handleSubmit(send, () => setAttempts((n) => n + 1))}
        className="text-ink"
      >
        <div className={messages.length > 0 ? "mt-4" : ""}>
          <ErrorSummary errors={messages} attempt={attempts} />
        </div>
        <EntryFieldset form={form} />
        <OutcomeLine form={form} />
      </form>
    </Dialog>
  );
}

function OutcomeLine({ form: { control } }: { form: EntryForm }) {
  const [buyPrice, sellPrice, quantity] = useWatch({ control, name: ["buyPrice", "sellPrice", "quantity"] });
  const outcome = calculateOutcome({ buyPrice, sellPrice, quantity });
  return (
    <p className="mt-6 flex min-h-14 flex-wrap items-center justify-between gap-x-4 border-line border-y text-ui">
      <span className="text-ink-2">P&L, before charges</span>
      {/* Screen readers can find it, but it is not announced at every key press. */}
      <output aria-label="P&L, before charges" aria-live="off" className="flex items-baseline gap-3 text-h4">
        {outcome ? (
          <>
            <Result value={outcome.pnl} /> <WinLoss status={outcome.status} />
          </>
        ) : (
          <span className="text-ink-3">–</span>
        )}
      </output>
    </p>
  );
}
