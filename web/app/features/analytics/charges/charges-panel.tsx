import type { ReactNode } from "react";
import { Link } from "react-router";
import type { ChargeComponent, Figures } from "#features/analytics/analytics-api.ts";
import { FRESH } from "#features/analytics/analytics-api.ts";
import { ChargeTable } from "#features/analytics/charges/charge-table.tsx";
import { ChartPanel } from "#features/analytics/charts/panel.tsx";
import { chargesHeadline, chargesText } from "#features/analytics/figures/headlines.ts";
import { type Filters, figuresQuery } from "#features/analytics/filters/analytics-view.ts";
import { useViewer } from "#features/analytics/viewer.ts";
import { RECONCILE_PATH } from "#lib/analytics-paths.ts";
import type { Schemas } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { inrPaise, signed } from "#lib/format.ts";
import { LoadFailure } from "#ui/load-failure.tsx";
import { Result } from "#ui/money.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

/** Rows of the waterfall, in the order of a contract note; the two smallest charges share a row. */
const LINES: readonly { label: string; parts: readonly ChargeComponent[] }[] = [
  { label: "Brokerage", parts: ["brokerage"] },
  { label: "STT", parts: ["stt"] },
  { label: "Exchange", parts: ["exchange"] },
  { label: "GST", parts: ["gst"] },
  { label: "Stamp duty", parts: ["stampDuty"] },
  { label: "DP charges", parts: ["dp"] },
  { label: "SEBI and IPFT", parts: ["sebi", "ipft"] },
];

export type ChargesPanelProps = { filters: Filters; figures: Figures };

/** Waterfall from gross to net P&L, with a step for each charge. */
export function ChargesPanel({ filters, figures }: ChargesPanelProps) {
  const viewer = useViewer();
  const charges = $api.useQuery(
    "get",
    "/analytics/charges",
    { params: { query: figuresQuery(filters) }, ...viewer.requestInit },
    FRESH,
  );
  const content = (draw: (data: NonNullable<typeof charges.data>) => ReactNode) => {
    if (charges.data) return draw(charges.data);
    return (
      <div className="px-4 pb-6 sm:px-6">
        {charges.isError ? (
          <LoadFailure
            error={charges.error}
            busy={charges.isFetching}
            onRetry={() => void charges.refetch()}
          />
        ) : (
          <TableSkeleton label="Loading charges" columns={2} />
        )}
      </div>
    );
  };
  return (
    <ChartPanel
      title={chargesHeadline(figures)}
      text={
        <>
          {`${inrPaise(figures.charges)}. ${chargesText(figures)} `}
          <Link to={RECONCILE_PATH} className="link" data-print="no">
            Compare with your broker
          </Link>
        </>
      }
      chart={content(({ components }) => (
        <Waterfall gross={figures.gross} net={figures.net} components={components} />
      ))}
      table={() => content(({ lines }) => <ChargeTable lines={lines} />)}
    />
  );
}

type WaterfallProps = { gross: number; net: number; components: Schemas["ChargeComponents"] };

function Waterfall({ gross, net, components }: WaterfallProps) {
  const low = Math.min(0, gross, net);
  const span = Math.max(0, gross, net) - low || 1;
  let rest = gross;
  const steps = LINES.map(({ label, parts }) => ({
    label,
    amount: parts.reduce((sum, part) => sum + components[part], 0),
  }))
    .filter(({ amount }) => amount > 0)
    .map((step) => {
      rest -= step.amount;
      return { ...step, from: rest, to: rest + step.amount };
    });
  const bar = (from: number, to: number) => ({
    left: `${((Math.min(from, to) - low) / span) * 100}%`,
    width: `${(Math.abs(to - from) / span) * 100}%`,
  });

  return (
    <table className="mb-5 w-full text-data">
      <thead className="sr-only">
        <tr>
          <th scope="col">Charge</th>
          <th scope="col">Bar</th>
          <th scope="col">Amount</th>
        </tr>
      </thead>
      <tbody>
        <WaterfallRow label="Gross P&L" bar={bar(0, gross)} tone="bg-ink-3">
          <span className="figures">{signed(gross)}</span>
        </WaterfallRow>
        {steps.map(({ label, amount, from, to }) => (
          <WaterfallRow key={label} label={label} bar={bar(from, to)} tone="bg-loss">
            <span className="figures text-loss">{inrPaise(0 - amount)}</span>
          </WaterfallRow>
        ))}
      </tbody>
      <tfoot className="font-semibold">
        <WaterfallRow label="Net P&L" bar={bar(0, net)} tone="bg-brand" last>
          <Result value={net} />
        </WaterfallRow>
      </tfoot>
    </table>
  );
}

type WaterfallRowProps = {
  label: string;
  bar: { left: string; width: string };
  tone: string;
  last?: boolean;
  children: ReactNode;
};

function WaterfallRow({ label, bar, tone, last = false, children }: WaterfallRowProps) {
  return (
    <tr className={last ? "border-line-strong border-t" : "border-line not-last:border-b"}>
      <th
        scope="row"
        className={`h-10 whitespace-nowrap pr-3 pl-4 text-left sm:pl-6 ${last ? "" : "font-normal"}`}
      >
        {label}
      </th>
      <td className="w-full">
        <span className="relative block h-3.5">
          <span className={`absolute inset-y-0 min-w-px ${tone}`} style={bar} />
        </span>
      </td>
      <td className="whitespace-nowrap py-2 pr-4 pl-4 text-right sm:pr-6">{children}</td>
    </tr>
  );
}
