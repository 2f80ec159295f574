import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState } from "react";
import { DeleteDialog } from "#features/trade-detail/delete-dialog.tsx";
import { SavedLine } from "#features/trade-detail/saved-line.tsx";
import { TradeEditForm } from "#features/trade-detail/trade-edit-form.tsx";
import { TradeFacts } from "#features/trade-detail/trade-facts.tsx";
import { TradeNotes } from "#features/trade-detail/trade-notes.tsx";
import { type Deleted, deleteTrade, type Trade, tradeQuery } from "#features/trade-detail/trade-requests.ts";
import { useNotes } from "#features/trade-detail/use-notes.ts";
import { isProblem, type Schemas } from "#lib/api.ts";
import { tradeName } from "#lib/contract.ts";
import { errorLine } from "#lib/problem.ts";
import { Button } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";
import { FormFailure } from "#ui/form-failure.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

export type TradeSheetProps = {
  /** Whose trade it is. */
  email: string;
  id: string;
  /** What the log already has of it: shown at once, while the server is asked. */
  known: Trade | undefined;
  onClose: () => void;
  onChanged: (trade: Trade) => void;
  onDeleted: (deleted: Deleted) => void;
};

/** One trade with everything about it: read, corrected, deleted. */
export function TradeSheet({ email, id, known, onClose, onChanged, onDeleted }: TradeSheetProps) {
  const client = useQueryClient();
  const query = tradeQuery(id);
  const asked = useQuery({ ...query, ...(known && { initialData: known, initialDataUpdatedAt: 0 }) });
  const gone = isProblem(asked.error) && asked.error.status === 404;
  const trade = gone ? undefined : asked.data;
  const [editing, setEditing] = useState(false);
  const [saved, setSaved] = useState<string>();
  const notes = useNotes(email, id, trade, take);
  const edit = useRef<HTMLButtonElement>(null);
  const formId = useId();
  const [sending, setSending] = useState(false);
  const deletion = useDeletion(trade, (deleted) => {
    notes.discard();
    onDeleted(deleted);
  });

  function take(changed: Schemas["ChangedTrade"]) {
    client.setQueryData(query.queryKey, changed.trade);
    onChanged(changed.trade);
    setSaved(changed.changeId ?? undefined);
  }

  async function reload() {
    onChanged(await client.fetchQuery(query));
  }

  async function close() {
    if (await notes.save()) onClose();
  }

  const wasEditing = useRef(false);
  useEffect(() => {
    if (wasEditing.current && !editing) edit.current?.focus();
    wasEditing.current = editing;
  }, [editing]);

  const reading = (
    <>
      {/* Where it is seen, however long the notes are. */}
      <div role="status" className="w-full">
        {saved && <SavedLine key={saved} changeId={saved} onUndone={reload} />}
      </div>
      <Button variant="secondary" data-autofocus onClick={() => void close()}>
        Close
      </Button>
      {trade && (
        <>
          <Button variant="danger" pending={deletion.busy} onClick={deletion.ask} className="ml-auto">
            Delete
          </Button>
          <Button ref={edit} onClick={() => setEditing(true)}>
            Edit
          </Button>
        </>
      )}
    </>
  );
  const writing = (
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
        actions={editing ? writing : reading}
      >
        {!trade && <Absent error={asked.error} gone={gone} onRetry={() => void asked.refetch()} />}
        {trade && editing && (
          <TradeEditForm
            id={formId}
            trade={trade}
            onBusy={setSending}
            onSaved={(changed) => {
              if (changed) take(changed);
              setEditing(false);
            }}
          />
        )}
        {trade && !editing && (
          <>
            <TradeFacts trade={trade} />
            <TradeNotes notes={notes} />
            <FormFailure>{deletion.failure}</FormFailure>
          </>
        )}
      </Dialog>
      {trade && (
        <DeleteDialog
          open={deletion.asking}
          symbol={tradeName(trade)}
          busy={deletion.busy}
          onClose={deletion.cancel}
          onDelete={(pair) => void deletion.run(pair)}
        />
      )}
    </>
  );
}

function useDeletion(trade: Trade | undefined, onDeleted: (deleted: Deleted) => void) {
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();

  async function run(pair: boolean) {
    if (!trade || busy) return;
    setBusy(true);
    setFailure(undefined);
    try {
      onDeleted(await deleteTrade(trade, pair));
    } catch (error) {
      setFailure(errorLine(error));
    } finally {
      setBusy(false);
      setAsking(false);
    }
  }

  return {
    asking,
    busy,
    failure,
    run,
    ask: () => (trade?.pairId ? setAsking(true) : void run(false)),
    cancel: () => setAsking(false),
  };
}

type AbsentProps = { error: unknown; gone: boolean; onRetry: () => void };

function Absent({ error, gone, onRetry }: AbsentProps) {
  if (!error) return <TableSkeleton label="Loading the trade" columns={2} rows={4} />;
  return (
    <div role="alert" className="border-rule border-l py-1 pl-5 text-ink">
      <p className="font-semibold">{gone ? "This trade is not in your log any more." : errorLine(error)}</p>
      {gone ? (
        <p className="mt-1 text-ink-2 text-ui">It was deleted or replaced. The history can bring it back.</p>
      ) : (
        <Button variant="secondary" onClick={onRetry} className="mt-4">
          Retry
        </Button>
      )}
    </div>
  );
}
