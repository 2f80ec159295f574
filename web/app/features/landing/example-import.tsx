const COUNTS = [
  { label: "New", value: "8" },
  { label: "Already there", value: "86" },
  { label: "Left out", value: "2" },
];

const REASONS = [
  { cell: "K17", text: "The price is empty." },
  { cell: "D64", text: "31 Feb 2025 is not a date." },
];

/** The right page of the open book: what the log says after a file went in. */
export function ExampleImport() {
  return (
    <section aria-labelledby="example-import" className="flex flex-col text-data">
      <div className="flex h-14 items-center gap-3 border-line border-b px-5">
        <h2 id="example-import" className="text-h4">
          What the file held
        </h2>
      </div>
      <div className="flex flex-1 flex-col p-5">
        <p className="font-semibold text-ui">tradebook-EQ-2025.xlsx</p>
        <p className="text-ink-2">Zerodha, Equity, 96 rows</p>
        <dl className="mt-5 border-line border-t">
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
        <h3 className="mt-6 font-sans font-semibold text-data tracking-normal">Left out, and why</h3>
        <ul className="mt-2">
          {REASONS.map(({ cell, text }) => (
            <li key={cell} className="flex">
              <span className="figures w-14 border-rule border-r py-1.5 font-semibold text-loss">{cell}</span>
              <span className="py-1.5 pl-4 text-ink-2">{text}</span>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
