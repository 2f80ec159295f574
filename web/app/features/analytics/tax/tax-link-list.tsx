import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { flushSync } from "react-dom";
import { FRESH } from "#features/analytics/analytics-api.ts";
import { type Column, DataTable } from "#features/analytics/tables/data-table.tsx";
import {
  type TaxLink,
  type TaxLinkUse,
  taxLinkState,
  taxPackName,
  usesText,
  validityText,
} from "#features/analytics/tax/tax-link-texts.ts";
import { api, type Schemas } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { count, dateTime } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";
import { ConfirmDeleteDialog } from "#ui/confirm-delete-dialog.tsx";
import { LoadFailure } from "#ui/load-failure.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

export const TAX_LINKS_KEY = ["get", "/analytics/tax/links"] as const;

/** Links listed at first. */
const FIRST_LINKS = 10;

export type TaxLinkListProps = {
  /** Accounts of the trader, which name those of the links. */
  own: readonly Schemas["BrokerAccount"][];
};

/** Links of the trader to tax packs, newest first, each with its uses and a button that ends it. */
export function TaxLinkList({ own }: TaxLinkListProps) {
  const client = useQueryClient();
  const query = $api.useQuery("get", "/analytics/tax/links", {}, FRESH);
  const [showsAll, setShowsAll] = useState(false);
  const [ending, setEnding] = useState<TaxLink>();
  const [status, setStatus] = useState("");
  const heading = useRef<HTMLHeadingElement>(null);

  async function finish({ recipient }: TaxLink) {
    await client.invalidateQueries({ queryKey: TAX_LINKS_KEY });
    flushSync(() => setEnding(undefined));
    // The button that opened the dialog is gone.
    heading.current?.focus();
    setStatus(`The link for ${recipient} has ended.`);
  }

  if (!query.data) {
    return (
      <div className="px-4 pb-6 sm:px-6">
        {query.isError ? (
          <LoadFailure error={query.error} busy={query.isFetching} onRetry={() => void query.refetch()} />
        ) : (
          <TableSkeleton label="Loading the links" columns={2} rows={1} />
        )}
      </div>
    );
  }
  const { links } = query.data;
  if (links.length === 0) return null;
  const visible = showsAll ? links : links.slice(0, FIRST_LINKS);
  return (
    <div className="border-line border-t px-4 py-5 sm:px-6">
      <h3 ref={heading} tabIndex={-1} className="font-semibold text-ui outline-none">
        {`Links, ${count(links.length)}`}
      </h3>
      <p role="status" className="text-data text-ink-2">
        {status}
      </p>
      <ul className="mt-2 border-line border-t text-data">
        {visible.map((link) => (
          <LinkItem key={link.id} link={link} own={own} onEnd={() => setEnding(link)} />
        ))}
      </ul>
      {links.length > visible.length && (
        <Button variant="quiet" size="sm" className="mt-2 -ml-4" onClick={() => setShowsAll(true)}>
          {`Show all ${count(links.length)} links`}
        </Button>
      )}
      {ending && (
        <ConfirmDeleteDialog
          title="End this link?"
          action="End link"
          send={() => api.DELETE("/analytics/tax/links/{id}", { params: { path: { id: ending.id } } })}
          onDelete={() => finish(ending)}
          onClose={() => setEnding(undefined)}
        >
          {`${ending.recipient} can no longer open the tax pack with it. This cannot be undone, but you can create a new link.`}
        </ConfirmDeleteDialog>
      )}
    </div>
  );
}

const STATE_LABELS = { valid: undefined, expired: "Expired", ended: "Ended" } as const;

type LinkItemProps = TaxLinkListProps & { link: TaxLink; onEnd: () => void };

function LinkItem({ link, own, onEnd }: LinkItemProps) {
  const { recipient, year, accounts, createdAt, uses } = link;
  const now = Date.now();
  const label = STATE_LABELS[taxLinkState(link, now)];
  const name = `${recipient}, created on ${dateTime(createdAt)}`;
  return (
    <li className="border-line py-3 not-last:border-b">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-64">
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1 font-semibold text-ui">
            <span className="wrap-anywhere min-w-0">{recipient}</span>
            {label && (
              <span className="rounded-tag bg-sunken px-2 py-0.5 text-floor text-ink-2">{label}</span>
            )}
          </p>
          <p>{taxPackName(year, accounts, own)}</p>
          <p className="text-ink-2">{validityText(link, now)}</p>
          <p className="text-ink-2">{usesText(uses)}</p>
        </div>
        {!label && (
          <Button variant="secondary" size="sm" onClick={onEnd} className="pointer-coarse:h-11">
            End link
            <span className="sr-only">{` for ${name}`}</span>
          </Button>
        )}
      </div>
      {uses.length > 0 && <AccessLog name={name} uses={uses} />}
    </li>
  );
}

function AccessLog({ name, uses }: { name: string; uses: readonly TaxLinkUse[] }) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)} className="mt-1">
      <summary className="cursor-pointer py-2 font-semibold text-ink-2 hover:text-ink">
        Access log<span className="sr-only">{` of the link for ${name}`}</span>
      </summary>
      {open && (
        <DataTable
          caption={`Access log of the link for ${name}`}
          columns={USES}
          rows={uses}
          rowKey={({ action, device, address, firstAt }) => `${action} ${device} ${address} ${firstAt}`}
        />
      )}
    </details>
  );
}

const USES: readonly Column<TaxLinkUse>[] = [
  { label: "Action", cell: ({ action }) => (action === "view" ? "Viewed" : "Downloaded") },
  { label: "Device", cell: ({ device }) => device },
  { label: "Network", cell: ({ address }) => <span className="figures">{address}</span> },
  { label: "First time", cell: ({ firstAt }) => <span className="figures">{dateTime(firstAt)}</span> },
  { label: "Last time", cell: ({ lastAt }) => <span className="figures">{dateTime(lastAt)}</span> },
  { label: "Times", figures: true, cell: ({ count: times }) => count(times) },
];
