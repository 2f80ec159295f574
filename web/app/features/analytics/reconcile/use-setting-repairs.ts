import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Reconciliation } from "#features/analytics/reconcile/reconciliation.ts";
import {
  type SettingRepair,
  settingRepairs,
  withPrices,
} from "#features/analytics/reconcile/setting-repairs.ts";
import type { Compared } from "#features/analytics/reconcile/use-comparison.ts";
import { useViewer } from "#features/analytics/viewer.ts";
import { api, type Schemas } from "#lib/api.ts";
import { useBrokerAccounts } from "#lib/broker-accounts.ts";
import { plural } from "#lib/format.ts";
import { errorMessage } from "#lib/problem.ts";
import { type LedgerImport, sendLedger } from "#lib/send-ledger.ts";

type Account = Schemas["BrokerAccount"];

/** Repair that was applied. */
type AppliedRepair = { title: string; undo: () => Promise<string> };

export type SettingRepairs = {
  repairs: readonly SettingRepair[];
  /** Number of the report's debits and credits that are stored already. */
  storedDebits: number;
  busy: boolean;
  failure: string;
  applied: readonly AppliedRepair[];
  apply: (repairs: readonly SettingRepair[]) => Promise<void>;
  undo: (applied: AppliedRepair) => Promise<void>;
};

const NO_ACCOUNT = "The settings of this account could not be loaded. Compare again.";
const NO_CONNECTION = "No connection. Try again.";

/** Applies repairs of charges and undoes them; `onChange` is called after each change. */
export function useSettingRepairs(
  { file, result, at }: Compared<Reconciliation>,
  onChange: () => void,
): SettingRepairs {
  const client = useQueryClient();
  const { isOwner, requestInit } = useViewer();
  const accounts = useBrokerAccounts(requestInit).data?.accounts ?? [];
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState("");
  const [applied, setApplied] = useState<readonly AppliedRepair[]>([]);
  const listsDebits = result.charges.some(({ charge, report }) => charge === "other" && report !== null);
  const { data: preview } = useQuery({
    queryKey: ["other-debits", at],
    queryFn: async (): Promise<LedgerImport | null> => {
      const read = await sendLedger(file, undefined, true);
      // Some reports state only their sum, which is no ledger.
      return read.kind === "read" ? read.ledger : null;
    },
    enabled: isOwner && listsDebits,
    staleTime: Number.POSITIVE_INFINITY,
  });

  const saveSettings = async (account: Account, settings: Account["settings"]) => {
    const { broker, brokerAccount, label = "", holder = "" } = account;
    const { error } = await api.PUT("/trades/broker-accounts/{broker}/{number}", {
      params: { path: { broker, number: brokerAccount } },
      body: { label, holder, settings },
    });
    return error === undefined ? "" : errorMessage(error);
  };

  /** Returns what was applied, or a message. */
  async function applyOne(repair: SettingRepair): Promise<AppliedRepair | string> {
    if (repair.kind === "debits") {
      const sent = await sendLedger(file, undefined, false);
      if (sent.kind === "failed") return sent.text;
      const { id } = sent.ledger;
      const title = `${plural(sent.ledger.added, "entry", "entries")} added to your costs outside trades`;
      return { title, undo: () => (id ? removeLedger(id) : Promise.resolve("")) };
    }
    const { broker, brokerAccount = 1 } = result;
    const account = accounts.find((one) => one.broker === broker && one.brokerAccount === brokerAccount);
    if (!account) return NO_ACCOUNT;
    const message = await saveSettings(account, withPrices(account.settings, repair.prices));
    const undo = () => saveSettings(account, account.settings);
    return message || { title: `${repair.label.replace(/^Set/, "Brokerage set:")}`, undo };
  }

  /** Runs a change; its message is shown if it fails. */
  async function run(change: () => Promise<string>) {
    setBusy(true);
    setFailure(await change().catch(() => NO_CONNECTION));
    setBusy(false);
    // Charges and tax depend on the settings.
    await client.invalidateQueries();
    onChange();
  }

  const apply = (repairs: readonly SettingRepair[]) =>
    run(async () => {
      for (const repair of repairs) {
        const outcome = await applyOne(repair);
        if (typeof outcome === "string") return outcome;
        setApplied((now) => [...now, outcome]);
      }
      return "";
    });

  const undo = (repair: AppliedRepair) =>
    run(async () => {
      const message = await repair.undo();
      if (!message) setApplied((now) => now.filter((other) => other !== repair));
      return message;
    });

  return {
    repairs: isOwner ? settingRepairs(result, preview ?? undefined) : [],
    storedDebits: preview?.duplicates ?? 0,
    busy,
    failure,
    applied,
    apply,
    undo,
  };
}

async function removeLedger(id: string): Promise<string> {
  const { error } = await api.DELETE("/trades/ledgers/{id}", { params: { path: { id } } });
  return error === undefined ? "" : errorMessage(error);
}
