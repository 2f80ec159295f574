import { Undo2 } from "lucide-react";
import type { HIGHLIGHTS } from "#content/features.ts";
import { SidePill } from "#ui/side-pill.tsx";

/** Example figure of a carousel card, rendered with the components of the product. */
export function HighlightFigure({ id }: { id: (typeof HIGHLIGHTS)[number]["id"] }) {
  switch (id) {
    case "file":
      return <FileCounts />;
    case "overlap":
      return <OverlappingFiles />;
    case "reason":
      return <SkippedRows />;
    case "notes":
      return <TradeWithNotes />;
    case "undo":
      return <UndoneChange />;
  }
}

const COUNTS = [
  { label: "New", value: "8" },
  { label: "Already there", value: "86" },
  { label: "Skipped", value: "2" },
];

function FileCounts() {
  return (
    <>
      <p className="font-semibold text-ui">tradebook-EQ-2025.xlsx</p>
      <p className="text-ink-2">Zerodha, Equity</p>
      <dl className="mt-3 border-line border-t">
        {COUNTS.map(({ label, value }) => (
          <div key={label} className="flex h-10 items-center justify-between border-line border-b">
            <dt className="text-ink-2">{label}</dt>
            <dd className="figures font-medium">{value}</dd>
          </div>
        ))}
        <div className="flex h-12 items-center justify-between">
          <dt className="text-ink-2">Rows in the file</dt>
          <dd className="double-rule figures pl-4 font-semibold">96</dd>
        </div>
      </dl>
    </>
  );
}

const FILES = [
  { name: "First file", months: [true, true, false] },
  { name: "Second file", months: [true, true, true] },
  { name: "In the log", months: [true, true, true] },
];

function OverlappingFiles() {
  return (
    <table className="w-full text-center">
      <thead>
        <tr className="h-10 border-line border-b text-floor text-ink-3">
          <th scope="col" className="text-left font-medium">
            Trades in
          </th>
          {["April", "May", "June"].map((month) => (
            <th key={month} scope="col" className="font-medium">
              {month}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {FILES.map(({ name, months }, line) => (
          <tr key={name} className="h-11 border-line border-b last:border-b-0">
            <th scope="row" className="border-rule border-r text-left font-medium">
              {name}
            </th>
            {months.map((included, month) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the three months never change their order
              <td key={month} className="figures">
                {included ? MONTHLY[month] : <span className="text-ink-3">–</span>}
                {line === 1 && month === 2 && <span className="sr-only"> new</span>}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const MONTHLY = ["41", "45", "38"];

const REASONS = [
  { cell: "K17", text: "The price is empty." },
  { cell: "D64", text: "31 Feb 2025 is not a date." },
];

function SkippedRows() {
  return (
    <ul className="border-line border-y">
      {REASONS.map(({ cell, text }) => (
        <li key={cell} className="flex border-line border-b last:border-b-0">
          <span className="figures w-14 border-rule border-r py-3 font-semibold text-loss">{cell}</span>
          <span className="py-3 pl-4 text-ink-2">{text}</span>
        </li>
      ))}
    </ul>
  );
}

const NOTES = [
  { label: "Note", text: "Sold at the day's high, as planned the evening before." },
  { label: "Psychology", text: "Calm. No urge to hold on." },
  { label: "Market outlook", text: "Sideways until the RBI has spoken." },
];

function TradeWithNotes() {
  return (
    <>
      <p className="flex items-center gap-3">
        <SidePill side="sell" />
        <span className="font-semibold">HDFCBANK</span>
        <span className="figures ml-auto text-ink-2">6 Jun 2025</span>
      </p>
      <dl className="mt-4 border-line border-t">
        {NOTES.map(({ label, text }) => (
          <div key={label} className="border-line border-b py-2.5">
            <dt className="text-floor text-ink-3">{label}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function UndoneChange() {
  return (
    <ol className="border-line border-y">
      <li className="border-line border-b py-3">
        <p className="text-floor text-ink-3">4:12 pm</p>
        <p>
          <del className="text-ink-2">128 trades added from tradebook-FO.xlsx</del>
        </p>
      </li>
      <li className="flex items-start gap-3 py-3">
        <Undo2 size={17} className="mt-0.5 shrink-0 text-brand" aria-hidden />
        <p>
          <span className="block text-floor text-ink-3">4:13 pm</span>
          Undone. The 214 earlier trades are unchanged.
        </p>
      </li>
    </ol>
  );
}
