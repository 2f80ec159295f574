import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { useState } from "react";
import { useForm, useWatch } from "react-hook-form";
import type { Entry } from "#features/journal/entries.ts";
import { EntryFieldset, type EntryForm } from "#features/journal/entry-fieldset.tsx";
import {
  type CheckedEntry,
  EMPTY,
  ENTRY_FIELDS,
  type EntryFields,
  entrySchema,
} from "#features/journal/entry-schema.ts";
import { type Kind, kindLabel } from "#features/journal/kinds.ts";
import { outcomeOf } from "#features/journal/outcome.ts";
import { newEntry, saveEntry } from "#features/journal/save-entry.ts";
import { Verdict } from "#features/journal/verdict.tsx";
import { Button } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";
import { ErrorSummary } from "#ui/error-summary.tsx";
import { fieldMessages } from "#ui/field-messages.ts";
import { Result } from "#ui/money.tsx";

const FORM = "journal-entry";

export type EntryDialogProps = {
  open: boolean;
  kind: Kind;
  onClose: () => void;
  onSaved: (entry: Entry) => void;
};

/** The add-trade modal. Closed half-way it keeps what was typed; a stored trade leaves it empty. */
export function EntryDialog({ open, kind, onClose, onSaved }: EntryDialogProps) {
  const form = useForm<EntryFields, unknown, CheckedEntry>({
    resolver: standardSchemaResolver(entrySchema),
    defaultValues: EMPTY,
    shouldFocusError: false,
  });
  const [tries, setTries] = useState(0);
  const [sending, setSending] = useState(false);
  const [failure, setFailure] = useState<string>();
  const messages = fieldMessages(form.formState.errors, ENTRY_FIELDS);

  async function send(entry: CheckedEntry) {
    if (sending) return;
    setSending(true);
    setFailure(undefined);
    const saved = await saveEntry(newEntry(kind, entry));
    setSending(false);
    if (saved.kind === "saved") {
      form.reset(EMPTY);
      onSaved(saved.entry);
    } else if (saved.kind === "refused") {
      for (const { field, message } of saved.fields) form.setError(field, { type: "server", message });
      setTries((n) => n + 1);
    } else setFailure(saved.line);
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
          <Button type="submit" form={FORM} pending={sending}>
            Add Trade
          </Button>
        </>
      }
    >
      <p className="text-data">{kindLabel(kind)}, prices in rupees, times in India time</p>
      <form
        id={FORM}
        noValidate
        aria-label="Add trade"
        onSubmit={form.handleSubmit(send, () => setTries((n) => n + 1))}
        className="text-ink"
      >
        <div className={messages.length > 0 ? "mt-4" : ""}>
          <ErrorSummary errors={messages} attempt={tries} />
        </div>
        <EntryFieldset form={form} />
        <OutcomeLine form={form} />
      </form>
    </Dialog>
  );
}

function OutcomeLine({ form: { control } }: { form: EntryForm }) {
  const [buyPrice, sellPrice, quantity] = useWatch({ control, name: ["buyPrice", "sellPrice", "quantity"] });
  const outcome = outcomeOf({ buyPrice, sellPrice, quantity });
  return (
    <p className="mt-6 flex min-h-14 flex-wrap items-center justify-between gap-x-4 border-line border-y text-ui">
      <span className="text-ink-2">P&L, before charges</span>
      {/* Not read out at every key; it is there for who looks for it. */}
      <output aria-label="P&L, before charges" aria-live="off" className="flex items-baseline gap-3 text-h4">
        {outcome ? (
          <>
            <Result value={outcome.pnl} /> <Verdict status={outcome.status} />
          </>
        ) : (
          <span className="text-ink-3">–</span>
        )}
      </output>
    </p>
  );
}
