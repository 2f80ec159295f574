import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { FRESH } from "#features/analytics/analytics-api.ts";
import { type AppliedChange, storePrices } from "#features/analytics/charges/brokerage-plan.ts";
import { NotePlanProposal } from "#features/analytics/charges/note-plan-proposal.tsx";
import { Panel } from "#features/analytics/charts/panel.tsx";
import { type Filters, filterQuery } from "#features/analytics/filters/analytics-view.ts";
import { CHARGE_NAMES } from "#features/analytics/reconcile/reconciliation.ts";
import { type Column, DataTable } from "#features/analytics/tables/data-table.tsx";
import { useKeptState } from "#features/analytics/use-kept-state.ts";
import { useViewer } from "#features/analytics/viewer.ts";
import type { Schemas } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { useAccountName } from "#lib/broker-accounts.ts";
import { date, inrPaise, plural, signed } from "#lib/format.ts";
import { NO_ANSWER } from "#lib/problem.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";
import { LoadFailure } from "#ui/load-failure.tsx";
import { PAGE_SIZE, ShowMore } from "#ui/show-more.tsx";

type Note = Schemas["ComparedNote"];

const TITLE = "Your broker’s charges and our estimate";

/** Charges that contract notes and tradebooks state beside our estimate; nothing if there are none. */
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
  const days = new Set(notes.map(({ date: day }) => day)).size;
  return (
    <Panel
      title={TITLE}
      text={`Contract notes and tradebooks state the charges of ${plural(days, "day")} of the chosen period and broker. The results count those that are used.`}
    >
      {isOwner && <Plans plans={plans} />}
      {unused < totalNotes && (
        <DataTable
          caption="Your broker’s charges by kind"
          columns={COMPONENTS}
          rows={components}
          rowKey={({ component }) => component}
          total={["Total", inrPaise(charges.stated), inrPaise(charges.estimate), signed(charges.difference)]}
        />
      )}
      {unused > 0 && (
        <p className="border-line border-t px-4 py-4 text-data sm:px-6">
          {`${plural(unused, "day has", "days have")} other trades in the contract note or tradebook than in your log. Their charges are estimated. Import the file with the trades and charges of ${unused === 1 ? "that day" : "those days"} again.`}
        </p>
      )}
      <Days notes={notes} />
    </Panel>
  );
}

/** Proposed plans, and those that were stored, with Undo. */
function Plans({ plans }: { plans: readonly Schemas["NotePlan"][] }) {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState("");
  const [stored, setStored] = useKeptState<AppliedChange>("stored-plan");

  async function run(change: () => Promise<AppliedChange | string>) {
    setBusy(true);
    const outcome = await change().catch(() => NO_ANSWER);
    setBusy(false);
    setFailure(typeof outcome === "string" ? outcome : "");
    if (outcome === "" || typeof outcome !== "string") setStored(() => outcome || undefined);
    // Charges and tax depend on the settings.
    await client.invalidateQueries();
  }

  return (
    <>
      {failure && (
        <p role="alert" className="px-4 pb-4 font-semibold text-data text-loss sm:px-6">
          {failure}
        </p>
      )}
      {stored && (
        <div className="px-4 pb-4 sm:px-6">
          <Banner
            tone="gain"
            role="status"
            title={stored.title}
            onDismiss={() => setStored(() => undefined)}
            actions={
              <Button variant="secondary" size="sm" pending={busy} onClick={() => void run(stored.undo)}>
                Undo
              </Button>
            }
          />
        </div>
      )}
      {plans.map((plan) => (
        <NotePlanProposal
          key={planKey(plan)}
          plan={plan}
          busy={busy}
          onStore={() => void run(() => storePrices(plan, plan.prices, plan.lastDate))}
        />
      ))}
    </>
  );
}

function planKey({ broker, brokerAccount, tradetype }: Schemas["NotePlan"]): string {
  return `${broker} ${brokerAccount} ${tradetype}`;
}

const COMPONENTS: readonly Column<Schemas["ComparedComponent"]>[] = [
  { label: "Charge", cell: ({ component }) => CHARGE_NAMES[component] },
  { label: "Your broker", figures: true, cell: ({ stated }) => inrPaise(stated) },
  { label: "Our estimate", figures: true, cell: ({ estimate }) => inrPaise(estimate) },
  { label: "Difference", figures: true, cell: ({ difference }) => signed(difference) },
];

/** Days with stated charges; those whose trades differ come first, then the largest differences. */
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
    { label: "Source", cell: ({ fromTradebook }) => (fromTradebook ? "Tradebook" : "Contract note") },
    { label: "Your broker", figures: true, cell: ({ stated }) => inrPaise(stated) },
    { label: "Our estimate", figures: true, cell: ({ estimate }) => inrPaise(estimate) },
    { label: "Difference", figures: true, cell: ({ difference }) => signed(difference) },
    { label: "Turnover, broker", figures: true, cell: ({ statedTurnover }) => inrPaise(statedTurnover) },
    { label: "Turnover, log", figures: true, cell: ({ logTurnover }) => inrPaise(logTurnover) },
    { label: "Used", cell: ({ used }) => (used ? "Yes" : "No") },
  ];
  return (
    <details className="border-line border-t">
      <summary className="min-h-11 cursor-pointer px-4 py-2.5 font-semibold text-ui -outline-offset-2 sm:px-6">
        Day by day
      </summary>
      <DataTable
        caption="Stated charges by day"
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
