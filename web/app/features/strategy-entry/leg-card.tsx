import clsx from "clsx";
import { X } from "lucide-react";
import { LegFieldset } from "#features/strategy-entry/leg-fieldset.tsx";
import { hasExit, type LegFields, legQuantity, removeLeg } from "#features/strategy-entry/strategy-fields.ts";
import type { StrategyEntry } from "#features/strategy-entry/use-strategy-entry.ts";
import { count } from "#lib/format.ts";
import { IconButton } from "#ui/button.tsx";
import { SidePill } from "#ui/side-pill.tsx";

const KIND_NAMES = { CE: "Call", PE: "Put" } as const;

type LegCardProps = { entry: StrategyEntry; leg: LegFields; index: number };

/** Fields of a leg below its side, kind and quantity. */
export function LegCard({ entry, leg, index }: LegCardProps) {
  const { fields, change, locks, failure } = entry;
  const number = index + 1;
  const quantity = legQuantity(fields, leg);
  const failed = failure?.legIndex === index;
  return (
    <fieldset
      className={clsx(
        "min-w-0 rounded-panel border bg-surface px-4 pb-4",
        failed ? "border-loss" : "border-line",
      )}
    >
      {/* A legend cannot be laid out with flex, so the visible heading is a separate element. */}
      <legend className="sr-only">
        Leg {number}: {leg.side} {KIND_NAMES[leg.kind].toLowerCase()}
      </legend>
      <div className="flex min-h-11 flex-wrap items-center gap-x-3 pt-2 text-ui">
        <span aria-hidden="true" className="font-semibold">
          Leg {number}
        </span>
        <span aria-hidden="true" className="flex items-center gap-x-2">
          <SidePill side={leg.side} />
          {KIND_NAMES[leg.kind]}
        </span>
        {quantity !== undefined && <span className="text-data text-ink-2">Qty {count(quantity)}</span>}
        <span className="ml-auto font-semibold text-data">
          <LegState entry={entry} leg={leg} failed={failed} />
        </span>
        {fields.template === "custom" && fields.legs.length > 1 && !locks.any && (
          <IconButton
            label={`Remove leg ${number}`}
            className="-mr-3"
            onClick={() => change(removeLeg(fields, index))}
          >
            <X size={18} aria-hidden />
          </IconButton>
        )}
      </div>
      <LegFieldset entry={entry} leg={leg} index={index} />
    </fieldset>
  );
}

/** States which trades of a leg are saved. */
function LegState({ entry, leg, failed }: { entry: StrategyEntry; leg: LegFields; failed: boolean }) {
  const { isSaved } = entry.locks;
  if (failed)
    return <span className="text-loss">{isSaved(leg, "entry") ? "Exit not saved" : "Not saved"}</span>;
  if (!isSaved(leg, "entry")) return null;
  return <span className="text-gain">{saveStateText(entry, leg)}</span>;
}

function saveStateText({ fields, locks }: StrategyEntry, leg: LegFields): string {
  return hasExit(fields, leg) && !locks.isSaved(leg, "exit") ? "Entry saved" : "Saved";
}
