import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { FRESH, refreshAnalytics } from "#features/analytics/analytics-api.ts";
import { api, type Schemas } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { brokerAccountName } from "#lib/books.ts";
import { plural } from "#lib/format.ts";
import { period } from "#lib/period.ts";
import { Button } from "#ui/button.tsx";
import { ConfirmDeleteDialog } from "#ui/confirm-delete-dialog.tsx";

type Ledger = Schemas["Ledger"];

/** Imported ledgers, each with a button that removes it. */
export function LedgerList() {
  const client = useQueryClient();
  const query = $api.useQuery("get", "/trades/ledgers", {}, FRESH);
  const [removing, setRemoving] = useState<Ledger>();
  const [status, setStatus] = useState("");
  const summary = useRef<HTMLElement>(null);

  async function finish({ fileName }: Ledger) {
    setRemoving(undefined);
    summary.current?.focus();
    setStatus(`${fileName} is removed.`);
    await Promise.all([query.refetch(), refreshAnalytics(client)]);
  }

  const ledgers = query.data?.ledgers ?? [];
  if (ledgers.length === 0 && !status) return null;
  return (
    <details className="border-line border-t px-4 py-4 text-data sm:px-6" data-print="no">
      <summary ref={summary} className="cursor-pointer font-semibold">
        {plural(ledgers.length, "imported ledger")}
      </summary>
      <p role="status" className="text-ink-2">
        {status}
      </p>
      <ul className="mt-2">
        {ledgers.map((ledger) => (
          <li
            key={ledger.id}
            className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-line border-t py-2"
          >
            <span className="wrap-anywhere min-w-0">
              {ledger.fileName}
              <span className="block text-ink-2">
                {`${brokerAccountName(ledger)}, ${period(ledger.from, ledger.to)}, ${plural(ledger.entries, "entry", "entries")}`}
              </span>
            </span>
            <Button
              variant="secondary"
              size="sm"
              aria-label={`Remove ${ledger.fileName}`}
              onClick={() => setRemoving(ledger)}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
      {removing && (
        <ConfirmDeleteDialog
          title="Remove this ledger?"
          action="Remove ledger"
          send={() => api.DELETE("/trades/ledgers/{id}", { params: { path: { id: removing.id } } })}
          onDelete={() => finish(removing)}
          onClose={() => setRemoving(undefined)}
        >
          {`Entries of ${removing.fileName} that no other ledger has are deleted. You can import the file again.`}
        </ConfirmDeleteDialog>
      )}
    </details>
  );
}
