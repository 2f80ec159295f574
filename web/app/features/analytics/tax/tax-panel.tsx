import { keepPreviousData } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { Link, useSearchParams } from "react-router";
import { FRESH } from "#features/analytics/analytics-api.ts";
import { Panel } from "#features/analytics/charts/panel.tsx";
import { financialYear, taxYearHint, yearInSentence } from "#features/analytics/tax/loss-texts.ts";
import { LossesPanel } from "#features/analytics/tax/losses-panel.tsx";
import { ReturnLinesPanel } from "#features/analytics/tax/return-lines-panel.tsx";
import { TaxCostsPanel } from "#features/analytics/tax/tax-costs-panel.tsx";
import { TaxDownloads } from "#features/analytics/tax/tax-downloads.tsx";
import { TaxEntriesPanel } from "#features/analytics/tax/tax-entries-panel.tsx";
import { TaxEstimatePanel } from "#features/analytics/tax/tax-estimate-panel.tsx";
import { accountKey, useSeveralPeople, useTaxGroups } from "#features/analytics/tax/tax-groups.ts";
import { OpenIssues, TaxPackTables } from "#features/analytics/tax/tax-pack-tables.tsx";
import { TaxPrintHeading } from "#features/analytics/tax/tax-print-heading.tsx";
import { parseTaxView, type TaxView, writeTaxView } from "#features/analytics/tax/tax-view.ts";
import { useViewer } from "#features/analytics/viewer.ts";
import { FIX_PATH } from "#lib/analytics-paths.ts";
import { api } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { useBrokerAccounts } from "#lib/broker-accounts.ts";
import { ChoiceFilter } from "#ui/choice-filter.tsx";
import { LoadFailure } from "#ui/load-failure.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

const TaxLinksPanel = lazy(async () => ({
  default: (await import("#features/analytics/tax/tax-links-panel.tsx")).TaxLinksPanel,
}));

export type TaxPanelProps = {
  /** Financial years such as 2025-26, newest first; at least one. */
  years: readonly string[];
};

/** Totals of a financial year by head of income, independent of the filters, with downloads for the accountant. */
export function TaxPanel({ years }: TaxPanelProps) {
  const viewer = useViewer();
  const [params, setParams] = useSearchParams();
  const own = useBrokerAccounts(viewer.requestInit);
  const groups = useTaxGroups(viewer.requestInit);
  const severalPeople = useSeveralPeople(viewer.requestInit);
  const { year, accounts } = parseTaxView(params, years, groups);
  const change = (changed: Partial<TaxView>) =>
    setParams((now) => writeTaxView(now, changed), { preventScrollReset: true });
  const packKeys = accounts ? accounts.split(",") : undefined;
  const packAccounts = (own.data?.accounts ?? []).filter(
    (one) => packKeys?.includes(accountKey(one)) ?? true,
  );
  const selection = { year, ...(accounts && { accounts }) };
  const needsPerson = accounts === "" && severalPeople;
  const tax = $api.useQuery(
    "get",
    "/analytics/tax",
    { params: { query: selection }, ...viewer.requestInit },
    // The accounts of the address are known only with those of the trader.
    {
      ...FRESH,
      enabled: !params.has("accounts") || own.isSuccess,
      placeholderData: keepPreviousData,
    },
  );
  const pack = tax.isPlaceholderData ? undefined : tax.data;
  const failed = [tax, own].find(({ isError }) => isError);

  return (
    <>
      <TaxPrintHeading year={year} login={viewer.name} accounts={packAccounts} />
      <Panel
        title={`Tax pack, ${yearInSentence(year)}`}
        tools={
          <>
            <ChoiceFilter
              label="Year"
              value={year}
              options={years.map((value) => ({ value, label: financialYear(value) }))}
              required
              onChange={(value) => change({ year: value })}
            />
            {groups.length > 0 && (
              <ChoiceFilter
                label="Accounts"
                value={accounts}
                options={groups}
                onChange={(value) => change({ accounts: value })}
              />
            )}
            <TaxDownloads
              load={(format) =>
                api.GET("/analytics/tax/export", {
                  params: { query: { ...selection, format } },
                  parseAs: "blob",
                  ...viewer.requestInit,
                })
              }
            />
          </>
        }
      >
        <div className="px-4 pb-4 text-data text-ink-2 sm:px-6">
          <p>
            All trades of the year, or those of the chosen accounts; the filters do not apply. An estimate for
            you and your accountant, not a tax return.
          </p>
          <p className="mt-1.5 empty:hidden">{taxYearHint(year)}</p>
        </div>
        {pack ? (
          <>
            <OpenIssues
              pack={pack}
              action={
                <Link to={FIX_PATH} className="link text-ui" data-print="no">
                  Fix
                </Link>
              }
            />
            <TaxPackTables pack={pack} />
          </>
        ) : (
          <div className="px-4 pb-6 sm:px-6">
            {failed ? (
              <LoadFailure
                error={failed.error}
                busy={failed.isFetching}
                onRetry={() => void failed.refetch()}
              />
            ) : (
              <TableSkeleton label="Loading the tax pack" columns={4} />
            )}
          </div>
        )}
      </Panel>
      {/* Stays while another pack is loaded, so that a form in it keeps what was typed. */}
      {tax.data && <TaxEntriesPanel pack={tax.data} />}
      {pack?.estimate && <TaxEstimatePanel estimate={pack.estimate} />}
      {pack && <LossesPanel losses={pack.losses} years={years} needsPerson={needsPerson} />}
      {pack && <TaxCostsPanel ledger={pack.ledger} />}
      {pack && <ReturnLinesPanel pack={pack} />}
      {viewer.isOwner && (
        <div data-print="no">
          <Suspense>
            <TaxLinksPanel year={year} accounts={accounts} needsPerson={needsPerson} />
          </Suspense>
        </div>
      )}
    </>
  );
}
