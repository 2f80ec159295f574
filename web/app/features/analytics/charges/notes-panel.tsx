import { useState } from "react";
import { FRESH } from "#features/analytics/analytics-api.ts";
import { NotePlanProposal } from "#features/analytics/charges/note-plan-proposal.tsx";
import { Panel } from "#features/analytics/charts/panel.tsx";
import { type Filters, filterQuery } from "#features/analytics/filters/analytics-view.ts";
import { CHARGE_NAMES } from "#features/analytics/reconcile/reconciliation.ts";
import { type Column, DataTable } from "#features/analytics/tables/data-table.tsx";
import { useViewer } from "#features/analytics/viewer.ts";
import type { Schemas } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { useAccountName } from "#lib/broker-accounts.ts";
import { date, inrPaise, plural, signed } from "#lib/format.ts";
import { LoadFailure } from "#ui/load-failure.tsx";
import { PAGE_SIZE, ShowMore } from "#ui/show-more.tsx";

type Note = Schemas["ComparedNote"];

const TITLE = "Contract notes and our estimate";

/** Contract notes beside the trades and our estimate of their charges; nothing if there is no note. */
export function NotesPanel({ filters }: { filters: Filters }) {
  const { isOwner, requestInit } = useViewer();
  const { from, to, broker, brokerAccount } = filterQuery(filters);
  const query = {
    ...(from && { from }),
    ...(to && { to }),
    ...(broker && { broker }),
    ...(brokerAccount && { brokerAccount }),
  };
  const { data, error, isFetching, refetch } = $api.useQuery(
    "get",
    "/analytics/contract-notes",
    { params: { query }, ...requestInit },
    FRESH,
  );
  if (!data && error)
    return (
      <Panel title={TITLE}>
        <div className="px-4 pb-6 sm:px-6">
          <LoadFailure error={error} busy={isFetching} onRetry={() => void refetch()} />
        </div>
      </Panel>
    );
  if (!data || data.totalNotes === 0) return null;
  const { notes, totalNotes, components, charges, plans } = data;
  const unused = notes.filter(({ used }) => !used).length;
  return (
    <Panel
      title={TITLE}
      text={`${plural(totalNotes, "day")} with contract notes, for the chosen period and broker. The results count the charges of the notes.`}
    >
      {isOwner && plans.map((plan) => <NotePlanProposal key={planKey(plan)} plan={plan} />)}
      {unused < totalNotes && (
        <DataTable
          caption="Charges of contract notes and our estimate"
          columns={COMPONENTS}
          rows={components}
          rowKey={({ component }) => component}
          total={["Total", inrPaise(charges.stated), inrPaise(charges.estimate), signed(charges.difference)]}
        />
      )}
      {unused > 0 && (
        <p className="border-line border-t px-4 py-4 text-data sm:px-6">
          {`${plural(unused, "day has", "days have")} other trades in the note than in your log. Their charges are estimated. Import the tradebook and the note of ${unused === 1 ? "that day" : "those days"} again.`}
        </p>
      )}
      <Days notes={notes} />
    </Panel>
  );
}

function planKey({ broker, brokerAccount, tradetype }: Schemas["NotePlan"]): string {
  return `${broker} ${brokerAccount} ${tradetype}`;
}

const COMPONENTS: readonly Column<Schemas["ComparedComponent"]>[] = [
  { label: "Charge", cell: ({ component }) => CHARGE_NAMES[component] },
  { label: "Contract notes", figures: true, cell: ({ stated }) => inrPaise(stated) },
  { label: "Our estimate", figures: true, cell: ({ estimate }) => inrPaise(estimate) },
  { label: "Difference", figures: true, cell: ({ difference }) => signed(difference) },
];

/** Days with notes; those whose trades differ come first, then the largest differences. */
function Days({ notes }: { notes: readonly Note[] }) {
  const name = useAccountName();
  const [shown, setShown] = useState(PAGE_SIZE);
  const size = ({ difference }: Note) => Math.abs(difference);
  const sorted = notes.toSorted(
    (one, other) => Number(one.used) - Number(other.used) || size(other) - size(one),
  );
  const columns: readonly Column<Note>[] = [
    { label: "Day", cell: ({ date: day }) => date(day) },
    { label: "Account", cell: (note) => name(note) },
    { label: "Trades", cell: ({ tradetype }) => (tradetype === "fno" ? "F&O" : "Shares") },
    { label: "Contract notes", figures: true, cell: ({ stated }) => inrPaise(stated) },
    { label: "Our estimate", figures: true, cell: ({ estimate }) => inrPaise(estimate) },
    { label: "Difference", figures: true, cell: ({ difference }) => signed(difference) },
    { label: "Turnover, note", figures: true, cell: ({ statedTurnover }) => inrPaise(statedTurnover) },
    { label: "Turnover, log", figures: true, cell: ({ logTurnover }) => inrPaise(logTurnover) },
    { label: "Same trades", cell: ({ used }) => (used ? "Yes" : "No") },
  ];
  return (
    <details className="border-line border-t">
      <summary className="min-h-11 cursor-pointer px-4 py-2.5 font-semibold text-ui -outline-offset-2 sm:px-6">
        Day by day
      </summary>
      <DataTable
        caption="Contract notes by day"
        columns={columns}
        rows={sorted.slice(0, shown)}
        rowKey={({ date: day, broker, brokerAccount, tradetype }) =>
          `${day} ${broker} ${brokerAccount} ${tradetype}`
        }
      />
      <ShowMore shown={shown} total={notes.length} onMore={() => setShown(shown + PAGE_SIZE)} />
    </details>
  );
}
