import { Check } from "lucide-react";
import { AnswerBanner } from "#features/analytics/fix/answer-banner.tsx";
import type { Reconciliation } from "#features/analytics/reconcile/reconciliation.ts";
import { listRepairs, readyRepairs } from "#features/analytics/reconcile/repairs.ts";
import type { Repairs } from "#features/analytics/reconcile/use-repairs.ts";
import type { SettingRepairs } from "#features/analytics/reconcile/use-setting-repairs.ts";
import { count, plural } from "#lib/format.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";

/** Key of the button that applies all repairs. */
const ALL = "all";

export type RepairBarProps = {
  result: Reconciliation;
  repairs: Repairs;
  settingRepairs: SettingRepairs;
};

/** Button that applies all repairs, and the result of the last ones with Undo. */
export function RepairBar({ result, repairs, settingRepairs }: RepairBarProps) {
  const all = listRepairs(result);
  const ready = readyRepairs(all, repairs.dates);
  const readyCount = ready.length + settingRepairs.repairs.length;

  async function applyAll() {
    const isStored = ready.length === 0 || (await repairs.apply(ALL, ready));
    if (isStored && settingRepairs.repairs.length > 0) await settingRepairs.apply(settingRepairs.repairs);
  }

  return (
    <>
      <SettingRepairNews settingRepairs={settingRepairs} />
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
      {all.length + settingRepairs.repairs.length > 0 && (
        <div
          data-print="no"
          className="flex flex-wrap items-center gap-x-4 gap-y-2 border-line border-y py-3 text-data"
        >
          {readyCount > 0 && (
            <Button
              icon={<Check size={16} aria-hidden />}
              pending={repairs.busy === ALL || settingRepairs.busy}
              onClick={() => void applyAll()}
              className="max-sm:w-full"
            >
              {readyCount === 1 ? "Apply the repair" : `Apply all ${count(readyCount)} repairs`}
            </Button>
          )}
          <p>{waitingText(all.length - ready.length)}</p>
        </div>
      )}
    </>
  );
}

/** Changes of settings and ledgers, each with Undo. */
function SettingRepairNews({
  settingRepairs: { applied, busy, failure, undo, dismiss },
}: Pick<RepairBarProps, "settingRepairs">) {
  return (
    <>
      {failure && (
        <p role="alert" className="font-semibold text-data text-loss">
          {failure}
        </p>
      )}
      {applied.map((repair) => (
        <Banner
          key={repair.title}
          tone="gain"
          role="status"
          title={repair.title}
          onDismiss={() => dismiss(repair)}
          className="mt-4"
          actions={
            <Button variant="secondary" size="sm" pending={busy} onClick={() => void undo(repair)}>
              Undo
            </Button>
          }
        />
      ))}
    </>
  );
}

/** Returns the sentence about repairs without a day. */
function waitingText(waiting: number): string {
  if (waiting === 0) return "Each change can be undone.";
  return `${plural(waiting, "difference needs a day", "differences need a day")} that the report does not contain. Enter it below.`;
}
