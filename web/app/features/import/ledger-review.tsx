import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { accountLabel, useAccountName, useBrokerAccounts } from "#lib/broker-accounts.ts";
import { inrPaise, plural } from "#lib/format.ts";
import { LEDGER_KINDS, type LedgerSum, sumAmounts } from "#lib/ledger-kinds.ts";
import { period } from "#lib/period.ts";
import { type LedgerImport, type LedgerResult, sendLedger } from "#lib/send-ledger.ts";
import { Button } from "#ui/button.tsx";
import { Field } from "#ui/field.tsx";
import { Select } from "#ui/select.tsx";

export type LedgerReviewProps = {
  file: File;
  /** Number of added entries, once it is imported. */
  added: number | undefined;
  onImported: (added: number) => void;
};

/** Review of a ledger: its entries by kind, its account, and the button that imports it. */
export function LedgerReview({ file, added, onImported }: LedgerReviewProps) {
  const [account, setAccount] = useState<number>();
  const [result, setResult] = useState<LedgerResult>();
  /** Last content that was read; its account can still be changed if another one is rejected. */
  const [ledger, setLedger] = useState<LedgerImport>();
  const [pending, setPending] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const client = useQueryClient();

  const isImported = added !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt reads the file again.
  useEffect(() => {
    if (isImported) return;
    let isCurrent = true;
    setResult(undefined);
    void sendLedger(file, account, true).then((read) => {
      if (!isCurrent) return;
      setResult(read);
      if (read.kind !== "read") return;
      setLedger(read.ledger);
      // Nothing is new: stored at once, because kinds of entries may have been corrected, and no answer is needed.
      if (read.ledger.added === 0) void store();
    });
    return () => {
      isCurrent = false;
    };
  }, [file, account, isImported, attempt]);

  async function store() {
    setPending(true);
    const imported = await sendLedger(file, account, false);
    setPending(false);
    if (imported.kind === "failed") return setResult(imported);
    onImported(imported.ledger.added);
    await client.invalidateQueries();
  }

  if (isImported)
    return (
      <p role="status" className="text-ui">
        <strong className="font-semibold">{added > 0 ? "Imported." : "Nothing new:"}</strong>{" "}
        {added > 0
          ? `${plural(added, "entry", "entries")} added. The costs are on the Charges page of the analytics.`
          : "all of its entries are already imported."}
      </p>
    );
  if (!result && !ledger) return <p role="status">Reading the ledger</p>;
  if (result?.kind === "failed")
    return (
      <div className="text-ui">
        <p role="alert" className="text-loss">
          {result.text}
        </p>
        {ledger && account !== undefined && (
          <AccountField ledger={ledger} account={account} disabled={false} onChange={setAccount} />
        )}
        {result.retry && (
          <Button size="sm" variant="secondary" onClick={() => setAttempt((now) => now + 1)} className="mt-3">
            Retry
          </Button>
        )}
      </div>
    );
  // While another account is read, what was read before stays, so that the field keeps the focus.
  const shown = result?.ledger ?? ledger;
  if (!shown) return null;
  return (
    <div className="text-ui" aria-busy={!result}>
      <p>{entriesText(shown)}</p>
      <AccountField
        ledger={shown}
        account={account ?? shown.brokerAccount ?? 1}
        disabled={pending}
        onChange={setAccount}
      />
      <SumTable sums={shown.sums} />
      <p className="mt-2 text-data text-ink-2">
        Only costs outside trades are counted. Settlements are already in your trades.
      </p>
      {shown.added > 0 && (
        <Button size="sm" pending={pending || !result} onClick={() => void store()} className="mt-3">
          Import ledger
        </Button>
      )}
    </div>
  );
}

function entriesText({ added, duplicates, from, to }: LedgerImport): string {
  const entries = `${plural(added + duplicates, "entry", "entries")}, ${period(from, to)}.`;
  return duplicates > 0 ? `${entries} ${added} new, ${duplicates} already imported.` : entries;
}

type AccountFieldProps = {
  ledger: LedgerImport;
  /** Number of the selected account. */
  account: number;
  disabled: boolean;
  onChange: (account: number) => void;
};

function AccountField({
  ledger: { broker, brokerAccount = 1 },
  account,
  disabled,
  onChange,
}: AccountFieldProps) {
  const name = useAccountName();
  const accounts = useBrokerAccounts().data?.accounts.filter((one) => one.broker === broker) ?? [];
  if (accounts.every((one) => one.brokerAccount === account) && account === brokerAccount)
    return <p className="text-ink-2">{`Account: ${name({ broker, brokerAccount })}`}</p>;
  const options = accounts.map((one) => ({ value: String(one.brokerAccount), label: accountLabel(one) }));
  if (!options.some(({ value }) => value === String(brokerAccount)))
    options.push({ value: String(brokerAccount), label: `${name({ broker, brokerAccount })} (new)` });
  return (
    <div className="mt-2 max-w-80">
      <Field label="Account">
        {(props) => (
          <Select
            {...props}
            name="ledger-account"
            disabled={disabled}
            options={options}
            value={String(account)}
            onChange={({ currentTarget }) => onChange(Number(currentTarget.value))}
          />
        )}
      </Field>
    </div>
  );
}

function SumTable({ sums }: { sums: readonly LedgerSum[] }) {
  const costs = sums.filter(({ treatment }) => treatment === "cost");
  return (
    <table className="mt-3 w-full text-data">
      <caption className="pb-1 text-left text-floor text-ink-2">Change of the balance by kind</caption>
      <tbody>
        {sums.map(({ kind, amount, entries }) => (
          <tr key={kind} className="border-line border-t">
            <th scope="row" className="py-1.5 pr-3 text-left font-normal">
              {LEDGER_KINDS[kind]}
            </th>
            <td className="figures py-1.5 pr-3 text-right text-ink-2">
              {plural(entries, "entry", "entries")}
            </td>
            <td className="figures whitespace-nowrap py-1.5 text-right">{inrPaise(0 - amount)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot className="border-line-strong border-t font-semibold">
        <tr>
          <th scope="row" className="py-1.5 pr-3 text-left">
            Costs outside trades
          </th>
          <td />
          <td className="figures whitespace-nowrap py-1.5 text-right">{inrPaise(sumAmounts(costs))}</td>
        </tr>
      </tfoot>
    </table>
  );
}
