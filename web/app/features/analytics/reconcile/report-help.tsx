import { Steps } from "#ui/steps.tsx";

const BROKERS = [
  {
    name: "Zerodha",
    steps: [
      "Open Zerodha Console and log in.",
      "Go to Reports, then P&L.",
      "Choose the segment Equity or F&O and the period.",
      "Download the XLSX file. Do not edit it.",
    ],
    tax: "For the tax report, go to Reports, then Tax P&L, and choose the year and all quarters. If you get a ZIP file, open it and choose the XLSX file in it.",
  },
  {
    name: "Groww",
    steps: [
      "Open Groww and go to your Profile.",
      "Go to Reports, then Stocks – P&L.",
      "Choose the period.",
      "Download the XLSX file. Do not edit it.",
    ],
    tax: "For the tax report, go to Reports, then Stocks – Capital gains, and choose the year.",
  },
] as const;

/** Instructions for downloading the report from each broker. */
export function ReportHelp() {
  return (
    <section aria-label="How to get the report" className="space-y-6 border-rule border-l pl-5 text-ui">
      {BROKERS.map(({ name, steps, tax }) => (
        <div key={name}>
          <Steps title={`How to get the report from ${name}`} steps={steps} />
          <p className="mt-2 text-ink-2">{tax}</p>
        </div>
      ))}
      <p className="text-ink-2">
        Choose a period for which your log has all trades, such as a financial year. The tax report is
        compared line by line, with the holding period of each sale.
      </p>
    </section>
  );
}
