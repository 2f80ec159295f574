import type { ReactNode } from "react";
import { type StackedColumn, StackedTable } from "#features/analytics/tables/stacked-table.tsx";
import { issueCountText } from "#features/analytics/tax/issue-texts.ts";
import { rateName } from "#features/analytics/tax/loss-texts.ts";
import type { Schemas } from "#lib/api.ts";
import { count, inrPaise, plural } from "#lib/format.ts";
import { period } from "#lib/period.ts";
import { Banner } from "#ui/banner.tsx";
import { Result } from "#ui/money.tsx";

type TaxPack = Schemas["TaxPack"];

export type OpenIssuesProps = {
  pack: TaxPack;
  /** Link to the data issues, if the reader can fix them. */
  action?: ReactNode;
};

/** Names the open data issues that may change the tax pack. */
export function OpenIssues({
  pack: { openIssues, openIssuesByKind, doubtfulLines },
  action,
}: OpenIssuesProps) {
  if (openIssues === 0) return null;
  const lines = doubtfulLines > 0 ? ` and change ${plural(doubtfulLines, "line")}` : "";
  return (
    <Banner
      tone="warn"
      title={`${plural(openIssues, "open data issue")} may add to this tax pack${lines}`}
      className="mx-4 mb-4 sm:mx-6"
      actions={action}
    >
      {openIssuesByKind.map(issueCountText).join(", ")}
    </Banner>
  );
}

/** Income of a financial year by head, with the hints of the tax pack. */
export function TaxPackTables({ pack }: { pack: TaxPack }) {
  const business = [
    { head: "Intraday shares (speculative)", ...pack.speculative },
    { head: "Futures and options (non-speculative)", ...pack.nonSpeculative },
    ...(pack.deliveredShares.closedTrades > 0
      ? [{ head: "Delivered shares (non-speculative)", ...pack.deliveredShares }]
      : []),
  ];
  return (
    <>
      <StackedTable
        caption="Business income"
        columns={BUSINESS}
        rows={business}
        rowKey={({ head }) => head}
      />
      <p className="border-line border-t px-4 py-3 text-data sm:px-6">
        {`Total turnover for the tax audit: ${inrPaise(pack.businessTurnover)}`}
      </p>
      <Gains title="Short-term capital gains" rows={pack.shortTerm} />
      <Gains
        title="Long-term capital gains"
        rows={pack.longTerm}
        note={
          pack.longTermExempt !== undefined &&
          `Up to ${inrPaise(pack.longTermExempt)} of the year's long-term gains from shares, equity ETFs, REITs and InvITs are exempt from tax, after losses are set off.`
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

const BUSINESS: readonly StackedColumn<Business>[] = [
  { label: "Business income", cell: ({ head }) => <span className="font-semibold">{head}</span> },
  { label: "Closed trades", figures: true, secondary: true, cell: ({ closedTrades }) => count(closedTrades) },
  { label: "Profits", figures: true, secondary: true, cell: ({ profits }) => inrPaise(profits) },
  { label: "Losses", figures: true, secondary: true, cell: ({ losses }) => inrPaise(losses) },
  { label: "Turnover", figures: true, secondary: true, cell: ({ turnover }) => inrPaise(turnover) },
  { label: "Charges", figures: true, secondary: true, cell: ({ charges }) => inrPaise(0 - charges) },
  { label: "Net", figures: true, cell: ({ net }) => <Result value={net} /> },
];

type Gain = Schemas["CapitalGains"];

function gainColumns(title: string): StackedColumn<Gain>[] {
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
    { label: "Sales", figures: true, secondary: true, cell: ({ sales }) => count(sales) },
    { label: "Sale value", figures: true, secondary: true, cell: ({ saleValue }) => inrPaise(saleValue) },
    { label: "Cost", figures: true, secondary: true, cell: ({ cost }) => inrPaise(0 - cost) },
    { label: "Expenses", figures: true, secondary: true, cell: ({ expenses }) => inrPaise(0 - expenses) },
    { label: "Gain", figures: true, cell: ({ gain }) => <Result value={gain} /> },
  ];
}

function Gains({ title, rows, note }: { title: string; rows: readonly Gain[]; note?: ReactNode }) {
  if (rows.length === 0)
    return <p className="border-line border-t px-4 py-3 text-data text-ink-2 sm:px-6">{`${title}: none.`}</p>;
  return (
    <>
      <StackedTable
        caption={title}
        columns={gainColumns(title)}
        rows={rows}
        rowKey={({ assets, ratePercent, law }) => `${assets} ${ratePercent} ${law}`}
      />
      {note && <p className="border-line border-t px-4 py-3 text-data text-ink-2 sm:px-6">{note}</p>}
    </>
  );
}
