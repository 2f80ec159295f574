import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState } from "react";
import { DeleteDialog } from "#features/trade-detail/delete-dialog.tsx";
import { SavedBanner } from "#features/trade-detail/saved-banner.tsx";
import { TradeEditForm } from "#features/trade-detail/trade-edit-form.tsx";
import { TradeFacts } from "#features/trade-detail/trade-facts.tsx";
import { NotesStatus, TradeNotes } from "#features/trade-detail/trade-notes.tsx";
import {
  type DeletedTrades,
  deleteTrade,
  type Trade,
  tradeQuery,
} from "#features/trade-detail/trade-requests.ts";
import { useNotes } from "#features/trade-detail/use-notes.ts";
import { isProblem, type Schemas } from "#lib/api.ts";
import { tradeName } from "#lib/contract.ts";
import { errorMessage } from "#lib/problem.ts";
import { Button } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";
import { FormFailure } from "#ui/form-failure.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

export type TradeSheetProps = {
  /** Email of the account. */
  email: string;
  id: string;
  /** Trade as loaded by the log; shown until the current one is loaded. */
  initialTrade: Trade | undefined;
  onClose: () => void;
  onChanged: (trade: Trade) => void;
  onDeleted: (deleted: DeletedTrades) => void;
};

/** Side sheet with a trade and its notes, where it can be edited and deleted. */
export function TradeSheet({ email, id, initialTrade, onClose, onChanged, onDeleted }: TradeSheetProps) {
  const client = useQueryClient();
  const query = tradeQuery(id);
  const loaded = useQuery({
    ...query,
    ...(initialTrade && { initialData: initialTrade, initialDataUpdatedAt: 0 }),
  });
  const isDeleted = isProblem(loaded.error) && loaded.error.status === 404;
  const trade = isDeleted ? undefined : loaded.data;
  const [editing, setEditing] = useState(false);
  const [savedChangeId, setSavedChangeId] = useState<string>();
  const notes = useNotes(email, id, trade, showChange);
  const editButton = useRef<HTMLButtonElement>(null);
  const formId = useId();
  const notesFormId = useId();
  const [sending, setSending] = useState(false);
  const deletion = useDeletion(trade, (deleted) => {
    notes.discard();
    onDeleted(deleted);
  });

  function showChange(changed: Schemas["ChangedTrade"]) {
    client.setQueryData(query.queryKey, changed.trade);
    onChanged(changed.trade);
    setSavedChangeId(changed.changeId ?? undefined);
  }

  async function reload() {
    onChanged(await client.fetchQuery(query));
  }

  async function close() {
    if (await notes.save()) onClose();
  }

  const wasEditing = useRef(false);
  useEffect(() => {
    if (wasEditing.current && !editing) editButton.current?.focus();
    wasEditing.current = editing;
  }, [editing]);

  const viewActions = (
    <>
      {/* In the sticky footer, where it is visible however long the notes are. */}
      <div role="status" className="w-full">
        {savedChangeId && <SavedBanner key={savedChangeId} changeId={savedChangeId} onUndone={reload} />}
      </div>
      {trade && <NotesStatus formId={notesFormId} notes={notes} />}
      <Button variant="secondary" data-autofocus onClick={() => void close()}>
        Close
      </Button>
      {trade && (
        <>
          <Button variant="danger" pending={deletion.busy} onClick={deletion.start} className="ml-auto">
            Delete
          </Button>
          <Button ref={editButton} onClick={() => setEditing(true)}>
            Edit
          </Button>
        </>
      )}
    </>
  );
  const editActions = (
    <>
      <Button variant="secondary" onClick={() => setEditing(false)}>
        Cancel
      </Button>
      <Button type="submit" form={formId} pending={sending}>
        Save
      </Button>
    </>
  );

  return (
    <>
      <Dialog
        side
        open
        onClose={editing ? () => setEditing(false) : () => void close()}
        title={trade ? `${editing ? "Edit " : ""}${tradeName(trade)}` : "Trade"}
        actions={editing ? editActions : viewActions}
      >
        {!trade && (
          <LoadError error={loaded.error} isDeleted={isDeleted} onRetry={() => void loaded.refetch()} />
        )}
        {trade && editing && (
          <TradeEditForm
            id={formId}
            trade={trade}
            onBusy={setSending}
            onSaved={(changed) => {
              if (changed) showChange(changed);
              setEditing(false);
            }}
          />
        )}
        {trade && !editing && (
          <>
            <TradeFacts trade={trade} />
            <TradeNotes formId={notesFormId} notes={notes} />
            <FormFailure>{deletion.failure}</FormFailure>
          </>
        )}
      </Dialog>
      {trade && (
        <DeleteDialog
          open={deletion.dialogOpen}
          symbol={tradeName(trade)}
          busy={deletion.busy}
          onClose={deletion.cancel}
          onDelete={(pair) => void deletion.run(pair)}
        />
      )}
    </>
  );
}

function useDeletion(trade: Trade | undefined, onDeleted: (deleted: DeletedTrades) => void) {
  const [dialogOpen, setDialogOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();

  async function run(pair: boolean) {
    if (!trade || busy) return;
    setBusy(true);
    setFailure(undefined);
    try {
      onDeleted(await deleteTrade(trade, pair));
    } catch (error) {
      setFailure(errorMessage(error));
    } finally {
      setBusy(false);
      setDialogOpen(false);
    }
  }

  return {
    dialogOpen,
    busy,
    failure,
    run,
    /** Deletes the trade, or first asks about the other leg of its entry. */
    start: () => (trade?.pairId ? setDialogOpen(true) : void run(false)),
    cancel: () => setDialogOpen(false),
  };
}

type LoadErrorProps = { error: unknown; isDeleted: boolean; onRetry: () => void };

function LoadError({ error, isDeleted, onRetry }: LoadErrorProps) {
  if (!error) return <TableSkeleton label="Loading the trade" columns={2} rows={4} />;
  return (
    <div role="alert" className="border-rule border-l py-1 pl-5 text-ink">
      <p className="font-semibold">
        {isDeleted ? "This trade is not in your log any more." : errorMessage(error)}
      </p>
      {isDeleted ? (
        <p className="mt-1 text-ink-2 text-ui">
          It was deleted or replaced. You can restore it from the History.
        </p>
      ) : (
        <Button variant="secondary" onClick={onRetry} className="mt-4">
          Retry
        </Button>
      )}
    </div>
  );
}
