import { brokerName } from "#content/books.ts";
import { Panel } from "#features/analytics/charts/panel.tsx";
import { ComparedTable } from "#features/analytics/reconcile/compared-table.tsx";
import {
  CHARGE_WORDS,
  chargeLine,
  type Reconciliation,
  type ReportCharge,
} from "#features/analytics/reconcile/reconciliation.ts";
import { inrPaise } from "#lib/format.ts";

/** Each charge as we estimate it, and as the broker took it. */
export function ChargesCompared({ result: { charges, broker } }: { result: Reconciliation }) {
  const theirs = brokerName(broker);
  return (
    <Panel
      title="Charge by charge"
      text="Ours are estimated by the rates of each day, for all trades of the period."
      className="print:break-inside-avoid"
    >
      {charges.length > 0 ? (
        <ComparedTable
          caption="Charges"
          first="Charge"
          theirs={theirs}
          rows={charges.map((charge) => ({
            key: charge.charge,
            name: <span className="font-semibold">{CHARGE_WORDS[charge.charge]}</span>,
            lines: [chargeLine(charge)],
            note: hasNote(charge) && <Note charge={charge} />,
          }))}
        />
      ) : (
        <p className="px-4 pb-6 text-ink-2 text-ui sm:px-6">Neither side has a charge.</p>
      )}
    </Panel>
  );
}

function hasNote({ cause, lines }: ReportCharge): boolean {
  return cause !== null || lines.length > 1;
}

function Note({ charge: { cause, lines } }: { charge: ReportCharge }) {
  return (
    <>
      {cause && <p>{cause.sentence}</p>}
      {lines.length > 1 && (
        <p className="text-floor text-ink-3">
          {`In the report: ${lines.map(({ label, amount }) => `${label} ${inrPaise(amount)}`).join(", ")}.`}
        </p>
      )}
    </>
  );
}
