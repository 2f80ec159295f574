import type { ReactNode } from "react";
import { Panel } from "#features/analytics/charts/panel.tsx";
import { taxYearHint, yearInSentence } from "#features/analytics/tax/loss-texts.ts";
import { LossesPanel } from "#features/analytics/tax/losses-panel.tsx";
import { ReturnLinesPanel } from "#features/analytics/tax/return-lines-panel.tsx";
import { SharedTaxPackSkeleton } from "#features/analytics/tax/shared-tax-pack-skeleton.tsx";
import { TaxCostsPanel } from "#features/analytics/tax/tax-costs-panel.tsx";
import { TaxDownloads } from "#features/analytics/tax/tax-downloads.tsx";
import { TaxEntriesPanel } from "#features/analytics/tax/tax-entries-panel.tsx";
import { packAccounts, packNames } from "#features/analytics/tax/tax-heading-texts.ts";
import { OpenIssues, TaxPackTables } from "#features/analytics/tax/tax-pack-tables.tsx";
import { TaxPrintHeading } from "#features/analytics/tax/tax-print-heading.tsx";
import { type SharedPack, useSharedTaxPack } from "#features/analytics/tax/use-shared-tax-pack.ts";
import { api } from "#lib/api.ts";
import { dateTime } from "#lib/format.ts";
import { useHeadingFocus } from "#lib/heading-focus.ts";
import { Button } from "#ui/button.tsx";
import { MissingEntry } from "#ui/missing-entry.tsx";
import { StatusPage } from "#ui/status-page.tsx";

/** Tax pack of a link, for the accountant of a trader. `token` is empty if the address has none. */
export function SharedTaxPack({ token }: { token: string }) {
  const { state, busy, retry } = useSharedTaxPack(token);
  useHeadingFocus(state.phase);
  switch (state.phase) {
    case "loading":
      return <SharedTaxPackSkeleton />;
    case "open":
      return <OpenPack token={token} shared={state.shared} />;
    case "incomplete":
      return (
        <LinkMessage
          title="This link is incomplete"
          lines={[
            "The end of the address is missing.",
            "Open the whole link again, or ask the person who sent it for a new one.",
          ]}
        />
      );
    case "expired":
      return (
        <LinkMessage
          title="This link has expired or was ended"
          lines={["It no longer shows a tax pack.", "Ask the person who sent it for a new one."]}
        />
      );
    case "failed":
      return (
        <LinkMessage
          title="The tax pack could not be loaded"
          lines={[state.message]}
          action={
            <>
              <Button variant="secondary" pending={busy} onClick={retry}>
                Retry
              </Button>
              <p role="status" className="sr-only">
                {busy ? "Loading the tax pack" : "The tax pack could not be loaded."}
              </p>
            </>
          }
        />
      );
  }
}

type LinkMessageProps = { title: string; lines: readonly string[]; action?: ReactNode };

function LinkMessage({ title, lines, action }: LinkMessageProps) {
  return (
    <div className="max-w-[36rem] py-6">
      <StatusPage drawing={<MissingEntry />} title={title} lines={lines} action={action} />
    </div>
  );
}

function OpenPack({
  token,
  shared: { name, accounts, recipient, expiresAt, pack },
}: {
  token: string;
  shared: SharedPack;
}) {
  const { year, losses } = pack;
  return (
    <>
      <TaxPrintHeading year={year} login={name} accounts={accounts} />
      <div className="wrap-anywhere pb-5">
        <h1 tabIndex={-1} className="pt-1 text-[2rem]" data-print="no">
          {`Tax pack of ${packNames(accounts, name)}, ${yearInSentence(year)}`}
        </h1>
        <p className="mt-2 text-ui" data-print="no">{`Accounts: ${packAccounts(accounts) || "none"}`}</p>
        <p
          className="mt-1 text-ui"
          data-print="no"
        >{`Shared with ${recipient}, valid until ${dateTime(expiresAt)}.`}</p>
        <p className="mt-1 max-w-[66ch] text-data text-ink-2">
          {`The figures are estimates from the trade log of ${name} as it is now. They are not a tax return. ${name} sees when, from which network and with which browser this link is opened.`}
        </p>
        <p className="mt-1 max-w-[66ch] text-data text-ink-2 empty:hidden">{taxYearHint(year)}</p>
      </div>
      <Panel
        title="Income and capital gains"
        text="All trades of the year in the shared accounts."
        tools={
          <TaxDownloads
            load={(format) =>
              api.POST("/analytics/tax/shared/export", { body: { token, format }, parseAs: "blob" })
            }
          />
        }
      >
        <OpenIssues pack={pack} />
        <TaxPackTables pack={pack} />
      </Panel>
      <TaxEntriesPanel pack={pack} trader={name} />
      <LossesPanel losses={losses} years={[year]} needsPerson={isOfSeveralPeople(pack)} trader={name} />
      <TaxCostsPanel ledger={pack.ledger} />
      <ReturnLinesPanel pack={pack} trader={name} />
    </>
  );
}

/** Returns true if the year has results but none is set off, because the accounts belong to several people. */
function isOfSeveralPeople(pack: SharedPack["pack"]) {
  const { speculative, nonSpeculative, deliveredShares, shortTerm, longTerm, losses } = pack;
  const business = speculative.closedTrades + nonSpeculative.closedTrades + deliveredShares.closedTrades;
  const results = business + shortTerm.length + longTerm.length;
  return results > 0 && losses.results.length === 0 && losses.schedule.length === 0;
}
