import { lazy, Suspense, useState } from "react";
import { Panel } from "#features/analytics/charts/panel.tsx";
import { type StackedColumn, StackedTable } from "#features/analytics/tables/stacked-table.tsx";
import {
  incomeName,
  lossesTitle,
  lossName,
  setOffText,
  yearInSentence,
} from "#features/analytics/tax/loss-texts.ts";
import { useOpener } from "#features/analytics/tax/use-opener.ts";
import { useViewer } from "#features/analytics/viewer.ts";
import type { Schemas } from "#lib/api.ts";
import { inrPaise } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";
import { Result } from "#ui/money.tsx";

const LossesForm = lazy(async () => ({
  default: (await import("#features/analytics/tax/losses-form.tsx")).LossesForm,
}));

type Losses = Schemas["TaxLosses"];

const LOSSES_TEXT =
  "Losses of the year are set off first, then those of earlier years, the oldest first. Where the law leaves a choice, we take the order with the least estimated tax.";

export type LossesPanelProps = {
  losses: Losses;
  /** Financial years of the log, newest first. */
  years: readonly string[];
  /** True if the accounts belong to several people, so that no losses are set off. */
  needsPerson: boolean;
  /** Name of the trader, if somebody else reads the tax pack. */
  trader?: string;
};

/** Set-off of losses in the year, the losses that remain, and a form for losses of years before the log. */
export function LossesPanel({ losses, years, needsPerson, trader }: LossesPanelProps) {
  const { isOwner } = useViewer();
  const [editing, setEditing] = useState(false);
  const [news, setNews] = useState("");
  const opener = useOpener(editing);

  const close = (message: string) => {
    setEditing(false);
    setNews(message);
  };
  return (
    <Panel
      {...(needsPerson
        ? personText(trader)
        : {
            title: lossesTitle(losses),
            text: `${LOSSES_TEXT} Losses of the years in ${trader ? "the" : "your"} log are calculated from it.`,
          })}
      tools={
        isOwner &&
        !editing && (
          <Button ref={opener} variant="secondary" size="sm" onClick={() => setEditing(true)}>
            Losses before your log
          </Button>
        )
      }
      className="mt-5"
    >
      {editing && (
        <Suspense>
          <LossesForm years={years} onCancel={() => close("")} onSave={() => close("Losses saved.")} />
        </Suspense>
      )}
      <p role="status" className="px-4 text-data text-ink-2 not-empty:pb-4 sm:px-6" data-print="no">
        {news}
      </p>
      {losses.results.length > 0 && (
        <StackedTable
          caption="Income after set-off"
          columns={RESULTS}
          rows={losses.results}
          rowKey={incomeName}
        />
      )}
      <SetOffs losses={losses} />
      {losses.schedule.length > 0 && (
        <StackedTable
          caption="Schedule of losses"
          columns={scheduleColumns(trader)}
          rows={losses.schedule}
          rowKey={({ kind, year }) => `${kind} ${year}`}
        />
      )}
    </Panel>
  );
}

/** Returns title and text in place of the losses of several people. */
function personText(trader: string | undefined): { title: string; text: string } {
  const text = "The losses of one person cannot reduce the income of another.";
  return trader
    ? {
        title: "Losses: accounts of several people",
        text: `${text} Ask ${trader} for a link for each person.`,
      }
    : { title: "Losses: choose a person", text: `${text} Choose a person or an account at Accounts.` };
}

function SetOffs({
  losses: { setOffs, longTermExemptUsed, longTermTaxable, exemptGainsSetOff },
}: {
  losses: Losses;
}) {
  const hasLongTerm = longTermExemptUsed > 0 || longTermTaxable > 0;
  if (setOffs.length === 0 && !hasLongTerm) return null;
  return (
    <ul aria-label="Set-off" className="space-y-1.5 border-line border-t px-4 py-4 text-data sm:px-6">
      {setOffs.map((setOff) => (
        <li key={setOffText(setOff)}>
          {setOffText(setOff)} <span className="text-ink-3">{setOff.law}</span>
        </li>
      ))}
      {exemptGainsSetOff > 0 && (
        <li>
          {`${inrPaise(exemptGainsSetOff)} of these losses reduced long-term gains that would have been exempt: the law sets off losses first, then exempts what remains.`}
        </li>
      )}
      {hasLongTerm && (
        <li>
          {`Long-term gains after set-off: ${inrPaise(longTermExemptUsed)} exempt, ${inrPaise(longTermTaxable)} taxable.`}
        </li>
      )}
    </ul>
  );
}

const RESULTS: readonly StackedColumn<Losses["results"][number]>[] = [
  {
    label: "Income",
    cell: (income) => <span className="font-semibold">{incomeName(income)}</span>,
  },
  { label: "Result", figures: true, secondary: true, cell: ({ result }) => <Result value={result} /> },
  { label: "Losses set off", figures: true, secondary: true, cell: ({ setOff }) => inrPaise(0 - setOff) },
  { label: "Remaining", figures: true, cell: ({ remaining }) => inrPaise(remaining) },
];

type ScheduleLine = Losses["schedule"][number];

function scheduleColumns(trader: string | undefined): StackedColumn<ScheduleLine>[] {
  return [
    {
      label: "Loss",
      cell: ({ kind, year, lastYear, entered }) => (
        <>
          <span className="block font-semibold">{`${lossName(kind)}, ${yearInSentence(year)}`}</span>
          <span className="block text-floor text-ink-2">
            {[lastYear && `use until ${yearInSentence(lastYear)}`, entered && `entered by ${trader ?? "you"}`]
              .filter(Boolean)
              .join(" · ")}
          </span>
        </>
      ),
    },
    { label: "Brought forward", figures: true, secondary: true, cell: ({ opening }) => inrPaise(opening) },
    { label: "Loss of the year", figures: true, secondary: true, cell: ({ added }) => inrPaise(added) },
    { label: "Set off", figures: true, secondary: true, cell: ({ used }) => inrPaise(used) },
    { label: "Lapsed", figures: true, secondary: true, cell: ({ lapsed }) => inrPaise(lapsed) },
    { label: "Carried forward", figures: true, cell: ({ carriedForward }) => inrPaise(carriedForward) },
  ];
}
