import { lazy, Suspense, useState } from "react";
import { FoldedPanel } from "#features/analytics/charts/folded-panel.tsx";
import { type Column, DataTable } from "#features/analytics/tables/data-table.tsx";
import { yearInSentence } from "#features/analytics/tax/loss-texts.ts";
import { useOpener } from "#features/analytics/tax/use-opener.ts";
import { useViewer } from "#features/analytics/viewer.ts";
import type { Schemas } from "#lib/api.ts";
import { brokerAccountName } from "#lib/books.ts";
import { date, inrPaise, signed } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";

const TaxEntriesForm = lazy(async () => ({
  default: (await import("#features/analytics/tax/tax-entries-form.tsx")).TaxEntriesForm,
}));

type TaxPack = Schemas["TaxPack"];
type TieOut = TaxPack["tieOuts"][number];

export type TaxEntriesPanelProps = {
  pack: TaxPack;
  /** Name of the trader, if somebody else reads the tax pack. */
  trader?: string;
};

/** Dividends of the year, and the comparison with AIS and the brokers' reports, with a form for these figures. */
export function TaxEntriesPanel({ pack: { year, dividends, tieOuts }, trader }: TaxEntriesPanelProps) {
  const { isOwner } = useViewer();
  // The form keeps its year while another one is looked at.
  const [editedYear, setEditedYear] = useState<string>();
  const [news, setNews] = useState("");
  const opener = useOpener(editedYear !== undefined);

  const close = (message: string) => {
    setEditedYear(undefined);
    setNews(message);
  };
  return (
    <FoldedPanel
      title={panelTitle(tieOuts)}
      text={`Totals that ${trader ?? "you"} copied from the Annual Information Statement (AIS) of the tax department and from brokers' tax reports, beside those of this tax pack.`}
      tools={
        isOwner &&
        editedYear === undefined && (
          <Button ref={opener} variant="secondary" size="sm" onClick={() => setEditedYear(year)}>
            Enter salary, dividends, AIS
          </Button>
        )
      }
    >
      {editedYear !== undefined && (
        <Suspense>
          <TaxEntriesForm
            year={editedYear}
            onCancel={() => close("")}
            onSave={() => close(`Figures of ${yearInSentence(editedYear)} saved.`)}
          />
        </Suspense>
      )}
      <p role="status" className="px-4 text-data text-ink-2 not-empty:pb-4 sm:px-6">
        {news}
      </p>
      <DividendSums dividends={dividends} />
      {tieOuts.length > 0 && <TieOuts tieOuts={tieOuts} />}
      {tieOuts.length === 0 && isOwner && (
        <p className="border-line border-t px-4 py-4 text-data text-ink-2 sm:px-6">
          The tax department compares your return with AIS. Enter its totals to see differences before the
          department does: income tax portal, Services, Annual Information Statement.
        </p>
      )}
    </FoldedPanel>
  );
}

function panelTitle(tieOuts: readonly TieOut[]): string {
  if (tieOuts.length === 0) return "Dividends, AIS and broker reports";
  const different = tieOuts.filter(({ agrees }) => !agrees).length;
  if (different === 0) return "AIS and broker reports agree";
  return `${different} of ${tieOuts.length} totals differ from AIS or broker reports`;
}

function DividendSums({ dividends: { total, buybacks, taxDeducted, byPeriod } }: Pick<TaxPack, "dividends">) {
  if (total === 0) {
    return (
      <p className="border-line border-t px-4 py-3 text-data text-ink-2 sm:px-6">Dividends: none entered.</p>
    );
  }
  return (
    <>
      <DataTable
        caption="Dividends by period of advance tax"
        columns={PERIODS}
        rows={byPeriod}
        rowKey={({ until }) => until}
        total={["Year", inrPaise(total)]}
      />
      <p className="border-line border-t px-4 py-3 text-data text-ink-2 empty:hidden sm:px-6">
        {[
          buybacks > 0 &&
            `${inrPaise(buybacks)} of it was paid for shares that companies bought back, a dividend by law.`,
          taxDeducted > 0 && `Tax deducted: ${inrPaise(taxDeducted)}.`,
        ]
          .filter(Boolean)
          .join(" ")}
      </p>
    </>
  );
}

/** First days of the periods of advance tax, by their last ones. */
const FIRST_DAYS: Readonly<Record<string, string>> = {
  "06-15": "1 Apr",
  "09-15": "16 Jun",
  "12-15": "16 Sep",
  "03-15": "16 Dec",
  "03-31": "16 Mar",
};

const PERIODS: readonly Column<TaxPack["dividends"]["byPeriod"][number]>[] = [
  { label: "Dividends", cell: ({ until }) => [FIRST_DAYS[until.slice(5)], date(until)].join(" to ") },
  { label: "Amount", figures: true, cell: ({ amount }) => inrPaise(amount) },
];

const TOTALS: Partial<Record<TieOut["kind"], string>> = {
  aisShortTermSales: "AIS: sale value, short term",
  aisLongTermSales: "AIS: sale value, long term",
  aisDividends: "AIS: dividends",
  reportSpeculative: "intraday result",
  reportNonSpeculative: "F&O result",
  reportShortTerm: "short-term result",
  reportLongTerm: "long-term result",
  reportDividends: "dividends",
};

/** Comparisons as a list of cards: the reasons are sentences, which a table has no room for on a phone. */
function TieOuts({ tieOuts }: { tieOuts: readonly TieOut[] }) {
  return (
    <ul aria-label="Comparison" className="border-line border-t">
      {tieOuts.map((tieOut) => {
        const { kind, broker, brokerAccount = 1, stated, ours, difference, agrees, causes } = tieOut;
        const account = broker && `${brokerAccountName({ broker, brokerAccount })}: `;
        return (
          <li
            key={`${kind} ${broker} ${brokerAccount}`}
            className="border-line border-b px-4 py-3 text-data last:border-b-0 sm:px-6"
          >
            <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
              <span className="font-semibold">{`${account ?? ""}${TOTALS[kind] ?? kind}`}</span>
              {agrees ? (
                <span className="text-gain">Agrees</span>
              ) : (
                <span className="figures font-semibold">{`Difference ${signed(difference)}`}</span>
              )}
            </div>
            <p className="figures text-ink-2">{`Stated ${inrPaise(stated)}, here ${inrPaise(ours)}`}</p>
            {causes.map(({ code, text, amount, explains }) => (
              <p key={code} className="mt-1">
                {explains && <span className="font-semibold">Explains the difference: </span>}
                {text}
                {amount !== undefined && ` Amount: ${inrPaise(amount)}.`}
              </p>
            ))}
          </li>
        );
      })}
    </ul>
  );
}
