import { useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { FoldedPanel } from "#features/analytics/charts/folded-panel.tsx";
import { CreatedTaxLink, type TaxLinkAddress } from "#features/analytics/tax/created-tax-link.tsx";
import { TAX_LINKS_KEY, TaxLinkList } from "#features/analytics/tax/tax-link-list.tsx";
import { taxPackName } from "#features/analytics/tax/tax-link-texts.ts";
import { useOpener } from "#features/analytics/tax/use-opener.ts";
import { useViewer } from "#features/analytics/viewer.ts";
import { useBrokerAccounts } from "#lib/broker-accounts.ts";
import { Button } from "#ui/button.tsx";

const TaxLinkForm = lazy(async () => ({
  default: (await import("#features/analytics/tax/tax-link-form.tsx")).TaxLinkForm,
}));

export type TaxLinksPanelProps = {
  /** Financial year of the tax pack on the page, such as 2025-26. */
  year: string;
  /** Accounts of the tax pack on the page, such as zerodha,groww-2; empty for all. */
  accounts: string;
  /** True if the accounts belong to several people, so that no losses are set off. */
  needsPerson: boolean;
};

/** Links by which an accountant sees the tax pack of a year, with a form for a new one. */
export function TaxLinksPanel({ year, accounts, needsPerson }: TaxLinksPanelProps) {
  const { reauthentication } = useViewer();
  const client = useQueryClient();
  const own = useBrokerAccounts().data?.accounts ?? [];
  const [editing, setEditing] = useState(false);
  const [created, setCreated] = useState<TaxLinkAddress>();
  const isBusy = editing || created !== undefined;
  const opener = useOpener(isBusy);

  function show(link: TaxLinkAddress) {
    setEditing(false);
    setCreated(link);
    void client.invalidateQueries({ queryKey: TAX_LINKS_KEY });
  }

  return (
    <FoldedPanel
      title="Share with your accountant"
      text="A link shows the tax pack of one year to a person without an account, with its downloads and nothing else. It has your dividends and other income, but not your salary and estimated tax. You see when it was opened, and can end it at any time."
      tools={
        !isBusy && (
          <Button ref={opener} variant="secondary" size="sm" onClick={() => setEditing(true)}>
            Create a link
          </Button>
        )
      }
    >
      {editing && (
        <Suspense>
          {reauthentication}
          <TaxLinkForm
            year={year}
            accounts={accounts}
            name={taxPackName(year, accounts ? accounts.split(",") : [], own)}
            needsPerson={needsPerson}
            onCancel={() => setEditing(false)}
            onCreate={show}
          />
        </Suspense>
      )}
      {created && (
        <CreatedTaxLink
          created={created}
          name={taxPackName(created.link.year, created.link.accounts, own)}
          onDone={() => setCreated(undefined)}
        />
      )}
      <TaxLinkList own={own} />
    </FoldedPanel>
  );
}
