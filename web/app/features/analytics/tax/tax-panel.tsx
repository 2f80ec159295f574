import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { FRESH } from "#features/analytics/analytics-api.ts";
import { Panel } from "#features/analytics/charts/panel.tsx";
import { csvAndExcel, DownloadButtons } from "#features/analytics/download-buttons.tsx";
import { type Column, DataTable } from "#features/analytics/tables/data-table.tsx";
import { rateName } from "#features/analytics/tax/loss-texts.ts";
import { LossesPanel } from "#features/analytics/tax/losses-panel.tsx";
import { useSeveralPeople, useTaxGroups } from "#features/analytics/tax/tax-groups.ts";
import { useViewer } from "#features/analytics/viewer.ts";
import { FIX_PATH } from "#lib/analytics-paths.ts";
import { api, type Schemas } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { count, inrPaise, plural } from "#lib/format.ts";
import { period } from "#lib/period.ts";
import { Banner } from "#ui/banner.tsx";
import { ChoiceFilter } from "#ui/choice-filter.tsx";
import { LoadFailure } from "#ui/load-failure.tsx";
import { Result } from "#ui/money.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

type TaxPack = Schemas["TaxPack"];

export type TaxPanelProps = {
  /** Financial years such as 2025-26, newest first; at least one. */
  years: readonly string[];
};

/** Totals of a financial year by head of income, independent of the filters, with downloads for the accountant. */
export function TaxPanel({ years }: TaxPanelProps) {
  const viewer = useViewer();
  const [chosen, setChosen] = useState(years[0] ?? "");
  const [accounts, setAccounts] = useState("");
  const groups = useTaxGroups(viewer.requestInit);
  const severalPeople = useSeveralPeople(viewer.requestInit);
  const year = years.includes(chosen) ? chosen : (years[0] ?? "");
  const tax = $api.useQuery(
    "get",
    "/analytics/tax",
    { params: { query: { year, ...(accounts && { accounts }) } }, ...viewer.requestInit },
    FRESH,
  );

  return (
    <>
      <Panel
        title={`Tax pack, FY ${year.replace("-", "–")}`}
        text="All trades of the year, or those of the chosen accounts; the filters do not apply. Before cess and surcharge. An estimate for you and your accountant, not a tax return."
        tools={
          <>
            <ChoiceFilter
              label="Year"
              value={year}
              options={years.map((value) => ({ value, label: `FY ${value.replace("-", "–")}` }))}
              required
              onChange={setChosen}
            />
            {groups.length > 0 && (
              <ChoiceFilter label="Accounts" value={accounts} options={groups} onChange={setAccounts} />
            )}
            <Downloads year={year} accounts={accounts} />
          </>
        }
      >
        {tax.data ? (
          <>
            <OpenIssues pack={tax.data} />
            <Pack pack={tax.data} />
          </>
        ) : (
          <div className="px-4 pb-6 sm:px-6">
            {tax.isError ? (
              <LoadFailure error={tax.error} busy={tax.isFetching} onRetry={() => void tax.refetch()} />
            ) : (
              <TableSkeleton label="Loading the tax pack" columns={4} />
            )}
          </div>
        )}
      </Panel>
      {tax.data && (
        <LossesPanel losses={tax.data.losses} years={years} needsPerson={accounts === "" && severalPeople} />
      )}
    </>
  );
}

/** Names the open data issues that may change the tax pack. */
function OpenIssues({ pack: { openIssues, doubtfulLines } }: { pack: TaxPack }) {
  if (openIssues === 0) return null;
  const lines = doubtfulLines > 0 ? ` and change ${plural(doubtfulLines, "line")}` : "";
  return (
    <Banner
      tone="warn"
      title={`${plural(openIssues, "open data issue")} may add to this tax pack${lines}`}
      className="mx-4 mb-4 sm:mx-6"
      actions={
        <Link to={FIX_PATH} className="link text-ui">
          Fix
        </Link>
      }
    />
  );
}

function Downloads({ year, accounts }: { year: string; accounts: string }) {
  const { requestInit } = useViewer();
  return (
    <DownloadButtons
      label="Tax pack"
      files={[
        ...csvAndExcel(`tradebahi-tax-${year}`),
        { format: "112a", name: "Schedule 112A", fileName: `schedule-112a-${year}.csv` },
      ]}
      load={(format) =>
        api.GET("/analytics/tax/export", {
          params: { query: { year, format, ...(accounts && { accounts }) } },
          parseAs: "blob",
          ...requestInit,
        })
      }
    />
  );
}

function Pack({ pack }: { pack: TaxPack }) {
  const business = [
    { head: "Intraday shares (speculative)", ...pack.speculative },
    { head: "Futures and options (non-speculative)", ...pack.nonSpeculative },
  ];
  return (
    <>
      <DataTable caption="Business income" columns={BUSINESS} rows={business} rowKey={({ head }) => head} />
      <p className="border-line border-t px-4 py-3 text-data sm:px-6">
        {`Total turnover for the tax audit: ${inrPaise(pack.businessTurnover)}`}
      </p>
      <Gains title="Short-term capital gains" rows={pack.shortTerm} />
      <Gains
        title="Long-term capital gains"
        rows={pack.longTerm}
        note={
          pack.longTermExempt !== undefined &&
          `${inrPaise(pack.longTermExempt)} of the year's long-term gains from shares, equity ETFs, REITs and InvITs are exempt from tax.`
        }
      />
      {pack.hints.length > 0 && (
        <ul className="space-y-1.5 border-line border-t px-4 py-4 text-data text-ink-2 sm:px-6">
          {pack.hints.map((hint) => (
            <li key={hint} className="border-rule border-l pl-3">
              {hint}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

type Business = Schemas["BusinessIncome"] & { head: string };

const BUSINESS: readonly Column<Business>[] = [
  { label: "Business income", cell: ({ head }) => <span className="font-semibold">{head}</span> },
  { label: "Closed trades", figures: true, cell: ({ closedTrades }) => count(closedTrades) },
  { label: "Profits", figures: true, cell: ({ profits }) => inrPaise(profits) },
  { label: "Losses", figures: true, cell: ({ losses }) => inrPaise(losses) },
  { label: "Turnover", figures: true, cell: ({ turnover }) => inrPaise(turnover) },
  { label: "Charges", figures: true, cell: ({ charges }) => inrPaise(0 - charges) },
  { label: "Net", figures: true, cell: ({ net }) => <Result value={net} /> },
];

type Gain = Schemas["CapitalGains"];

function gainColumns(title: string): Column<Gain>[] {
  return [
    {
      label: title,
      cell: ({ assets, ratePercent, law, from, to }) => (
        <>
          <span className="block font-semibold">{`${assets}, ${rateName(ratePercent)}`}</span>
          <span className="block text-floor text-ink-2">{law}</span>
          <span className="figures block text-floor text-ink-2">{`sold ${period(from, to)}`}</span>
        </>
      ),
    },
    { label: "Sales", figures: true, cell: ({ sales }) => count(sales) },
    { label: "Sale value", figures: true, cell: ({ saleValue }) => inrPaise(saleValue) },
    { label: "Cost", figures: true, cell: ({ cost }) => inrPaise(0 - cost) },
    { label: "Expenses", figures: true, cell: ({ expenses }) => inrPaise(0 - expenses) },
    { label: "Gain", figures: true, cell: ({ gain }) => <Result value={gain} /> },
  ];
}

function Gains({ title, rows, note }: { title: string; rows: readonly Gain[]; note?: ReactNode }) {
  if (rows.length === 0)
    return <p className="border-line border-t px-4 py-3 text-data text-ink-2 sm:px-6">{`${title}: none.`}</p>;
  return (
    <>
      <DataTable
        caption={title}
        columns={gainColumns(title)}
        rows={rows}
        rowKey={({ assets, ratePercent, law }) => `${assets} ${ratePercent} ${law}`}
      />
      {note && <p className="border-line border-t px-4 py-3 text-data text-ink-2 sm:px-6">{note}</p>}
    </>
  );
}
