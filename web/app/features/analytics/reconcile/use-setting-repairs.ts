import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type AppliedChange, storePrices } from "#features/analytics/charges/brokerage-plan.ts";
import type { Reconciliation } from "#features/analytics/reconcile/reconciliation.ts";
import { type SettingRepair, settingRepairs } from "#features/analytics/reconcile/setting-repairs.ts";
import type { Compared } from "#features/analytics/reconcile/use-comparison.ts";
import { useKeptState } from "#features/analytics/use-kept-state.ts";
import { useViewer } from "#features/analytics/viewer.ts";
import { api } from "#lib/api.ts";
import { plural } from "#lib/format.ts";
import { errorMessage, NO_ANSWER } from "#lib/problem.ts";
import { type LedgerImport, sendLedger } from "#lib/send-ledger.ts";

export type SettingRepairs = {
  repairs: readonly SettingRepair[];
  /** True if all debits and credits of the report are in a ledger. */
  debitsStored: boolean;
  busy: boolean;
  failure: string;
  applied: readonly AppliedChange[];
  apply: (repairs: readonly SettingRepair[]) => Promise<void>;
  undo: (applied: AppliedChange) => Promise<void>;
  dismiss: (applied: AppliedChange) => void;
};

const PREVIEW = "other-debits";

/** Applies repairs of charges and undoes them; `onChange` is called after each change. */
export function useSettingRepairs(
  { file, result, at }: Compared<Reconciliation>,
  onChange: () => void,
): SettingRepairs {
  const client = useQueryClient();
  const { isOwner } = useViewer();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState("");
  // Kept while other pages are open, like the comparison.
  const [applied = [], setApplied] = useKeptState<readonly AppliedChange[]>("applied-repairs");
  const listsDebits = result.charges.some(({ charge, report }) => charge === "other" && report !== null);
  const { data: preview, error } = useQuery({
    queryKey: [PREVIEW, at],
    queryFn: async (): Promise<LedgerImport | null> => {
      const read = await sendLedger(file, undefined, true);
      if (read.kind === "read") return read.ledger;
      if (read.retry) throw new Error(read.text);
      // Some reports state only the sum, which is no ledger.
      return null;
    },
    enabled: isOwner && listsDebits,
    staleTime: Number.POSITIVE_INFINITY,
  });

  /** Returns what was applied, or a message. */
  async function applyOne(repair: SettingRepair): Promise<AppliedChange | string> {
    if (repair.kind === "plan") return storePrices(result, repair.prices, result.to);
    const sent = await sendLedger(file, undefined, false);
    if (sent.kind === "failed") return sent.text;
    const { id, added } = sent.ledger;
    const title = `${plural(added, "entry", "entries")} added to your ledger`;
    return { title, undo: () => (id ? removeLedger(id) : Promise.resolve("")) };
  }

  /** Runs a change; its message is shown if it fails. */
  async function run(change: () => Promise<string>) {
    setBusy(true);
    setFailure(await change().catch(() => NO_ANSWER));
    setBusy(false);
    // Charges and tax depend on the settings. The report itself did not change.
    await client.invalidateQueries({ predicate: ({ queryKey: [name] }) => name !== PREVIEW });
    onChange();
  }

  const apply = (repairs: readonly SettingRepair[]) =>
    run(async () => {
      for (const repair of repairs) {
        const outcome = await applyOne(repair);
        if (typeof outcome === "string") return outcome;
        setApplied((now = []) => [...now, outcome]);
      }
      return "";
    });

  const dismiss = (change: AppliedChange) =>
    setApplied((now = []) => now.filter((other) => other !== change));

  const undo = (change: AppliedChange) =>
    run(async () => {
      const message = await change.undo();
      if (!message) dismiss(change);
      return message;
    });

  return {
    repairs: isOwner ? settingRepairs(result, preview ?? undefined) : [],
    debitsStored: preview?.added === 0,
    busy,
    failure: failure || (error?.message ?? ""),
    applied,
    apply,
    undo,
    dismiss,
  };
}

async function removeLedger(id: string): Promise<string> {
  const { error } = await api.DELETE("/trades/ledgers/{id}", { params: { path: { id } } });
  return error === undefined ? "" : errorMessage(error);
}
