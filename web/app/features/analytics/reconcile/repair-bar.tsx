import { Check } from "lucide-react";
import { AnswerBanner } from "#features/analytics/fix/answer-banner.tsx";
import type { Reconciliation } from "#features/analytics/reconcile/reconciliation.ts";
import { listRepairs, readyRepairs } from "#features/analytics/reconcile/repairs.ts";
import type { Repairs } from "#features/analytics/reconcile/use-repairs.ts";
import { count, plural } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";

/** Key of the button that applies all repairs. */
const ALL = "all";

/** Button that applies all repairs, and the result of the last ones with Undo. */
export function RepairBar({ result, repairs }: { result: Reconciliation; repairs: Repairs }) {
  const all = listRepairs(result);
  const ready = readyRepairs(all, repairs.dates);
  return (
    <>
      {repairs.failure && (
        <p role="alert" className="font-semibold text-data text-loss">
          {repairs.failure}
        </p>
      )}
      {repairs.result && (
        <AnswerBanner
          title={`${plural(repairs.result.answerCount, "repair")} applied`}
          result={repairs.result}
          undoing={repairs.busy === repairs.result.firstId}
          onUndo={(firstId, lastId) => void repairs.undo(firstId, lastId)}
          onDismiss={repairs.dismiss}
        />
      )}
      {all.length > 0 && (
        <div
          data-print="no"
          className="flex flex-wrap items-center gap-x-4 gap-y-2 border-line border-y py-3 text-data"
        >
          {ready.length > 0 && (
            <Button
              icon={<Check size={16} aria-hidden />}
              pending={repairs.busy === ALL}
              onClick={() => void repairs.apply(ALL, ready)}
              className="max-sm:w-full"
            >
              {ready.length === 1 ? "Apply the repair" : `Apply all ${count(ready.length)} repairs`}
            </Button>
          )}
          <p>{waitingText(all.length - ready.length)}</p>
        </div>
      )}
    </>
  );
}

/** Returns the sentence about repairs without a day. */
function waitingText(waiting: number): string {
  if (waiting === 0) return "One change, undone with one press.";
  return `${plural(waiting, "difference needs a day", "differences need a day")} that the report does not contain. Enter it below.`;
}
