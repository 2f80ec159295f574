import { Link } from "react-router";
import { Panel } from "#features/analytics/charts/panel.tsx";
import { ComparedTable } from "#features/analytics/reconcile/compared-table.tsx";
import {
  CHARGE_NAMES,
  chargeLine,
  REASON_NOT_FOUND,
  type Reconciliation,
  type ReportCharge,
} from "#features/analytics/reconcile/reconciliation.ts";
import { repairOfCharge } from "#features/analytics/reconcile/setting-repairs.ts";
import type { SettingRepairs } from "#features/analytics/reconcile/use-setting-repairs.ts";
import { useViewer } from "#features/analytics/viewer.ts";
import { brokerName } from "#lib/books.ts";
import { inrPaise } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";

export type ChargesComparedProps = { result: Reconciliation; repairs: SettingRepairs };

/** Comparison of each charge: our estimate and the broker's figure, with the repair of a difference. */
export function ChargesCompared({ result: { charges, broker }, repairs }: ChargesComparedProps) {
  return (
    <Panel
      title="Charge by charge"
      text="Your log's charges are estimates with the rates of each trade date, for all trades of the period."
      className="print:break-inside-avoid"
    >
      {charges.length > 0 ? (
        <ComparedTable
          caption="Charges"
          first="Charge"
          broker={brokerName(broker)}
          rows={charges.map((charge) => ({
            key: charge.charge,
            name: <span className="font-semibold">{CHARGE_NAMES[charge.charge]}</span>,
            lines: [chargeLine(charge)],
            note: hasNote(charge) && <Note charge={charge} repairs={repairs} />,
          }))}
        />
      ) : (
        <p className="px-4 pb-6 text-ink-2 text-ui sm:px-6">No charges in your log or in the report.</p>
      )}
    </Panel>
  );
}

function hasNote({ cause, lines }: ReportCharge): boolean {
  return cause !== null || lines.length > 1;
}

type NoteProps = { charge: ReportCharge; repairs: SettingRepairs };

function Note({ charge, repairs: { repairs, debitsStored, busy, apply } }: NoteProps) {
  const { isOwner } = useViewer();
  const { cause, lines } = charge;
  const repair = repairOfCharge(repairs, charge);
  return (
    <>
      {cause && <p>{cause.code === "none" ? REASON_NOT_FOUND : cause.sentence}</p>}
      {cause?.code === "plan" && isOwner && !repair && (
        <p>
          <Link to="/account?tab=data" className="link">
            Enter what you pay for an order
          </Link>
          {", then compare again."}
        </p>
      )}
      {charge.charge === "other" && debitsStored && <p>All entries of the report are in your ledger.</p>}
      {lines.length > 1 && (
        <p className="text-floor text-ink-3">
          {`In the report: ${lines.map(({ label, amount }) => `${label} ${inrPaise(amount)}`).join(", ")}.`}
        </p>
      )}
      {repair && (
        <Button
          variant="secondary"
          size="sm"
          pending={busy}
          onClick={() => void apply([repair])}
          className="mt-2 h-auto! min-h-10 whitespace-normal! py-1.5 text-left text-data! pointer-coarse:min-h-11"
        >
          {repair.label}
        </Button>
      )}
    </>
  );
}
