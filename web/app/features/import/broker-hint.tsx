import { type Book, type BookSelection, BROKERS, brokerName, SAMPLE_FILE } from "#lib/books.ts";
import { Steps } from "#ui/steps.tsx";

type Hint = { title: string; steps: readonly string[]; note?: string };

/** Reports of the brokers from which trades are imported. */
const REPORTS: Readonly<Record<Book["broker"], string>> = {
  zerodha: "tradebook (XLSX or CSV)",
  groww: "order history for stocks, or F&O P&L report (XLSX)",
  upstox: "trade report (XLSX)",
  angelone: "trades history (XLSX)",
  dhan: "global transaction report or trade history (CSV)",
  fyers: "tradebook (CSV)",
  icicidirect: "order book or portfolio of all transactions (CSV)",
  kotak: "transaction statement (CSV)",
  paytmmoney: "tradebook (XLSX)",
  "5paisa": "transaction report (XLS)",
  hdfcsecurities: "trade report (XLS)",
};

function hintFor({ broker, tradetype }: BookSelection): Hint {
  if (!broker) {
    return {
      title: "Supported files",
      steps: BROKERS.map(({ value, label }) => `${label}: ${REPORTS[value]}`),
      note: "Drop files of several brokers at once. Select a broker to see how to get its file.",
    };
  }
  if (broker === "zerodha") {
    return {
      title: "How to get the file from Zerodha",
      steps: [
        "Open Zerodha Console and log in.",
        "Go to Reports, then Tradebook.",
        `Choose the segment ${tradetype === "fno" ? "F&O" : "Equity"} and the period.`,
        "Download the XLSX or CSV file. Do not edit it.",
      ],
    };
  }
  if (broker !== "groww") {
    return {
      title: `How to get the file from ${brokerName(broker)}`,
      steps: [
        `Log in at ${brokerName(broker)} and open the reports.`,
        `Download: ${REPORTS[broker]}. Do not edit it.`,
      ],
    };
  }
  const title = "How to get the file from Groww";
  const first = "Open Groww and go to your Profile.";
  const last = ["Choose the period.", "Download the XLSX file. Do not edit it."];
  if (tradetype === "fno") {
    return {
      title,
      steps: [first, "Go to Reports, then F&O – P&L.", ...last],
      note: "Groww has no list of single F&O trades. Each row of its P&L report becomes a buy and a sell, with a date but no time.",
    };
  }
  return { title, steps: [first, "Go to Reports, then Stocks – order history.", ...last] };
}

/** Instructions for downloading the file from the selected broker, or the files of all brokers. */
export function BrokerHint(selection: BookSelection) {
  const { title, steps, note } = hintFor(selection);
  return (
    <section aria-label={title} className="border-rule border-l pl-5 text-ui">
      <Steps title={title} steps={steps} />
      {note && <p className="mt-3 text-ink-2">{note}</p>}
      <p className="mt-4 text-ink-2">
        No file yet? Try the{" "}
        <a href={SAMPLE_FILE.href} download className="link">
          {SAMPLE_FILE.label.toLowerCase().replace("csv", "CSV")}
        </a>
        , a Zerodha tradebook with example trades.
      </p>
    </section>
  );
}
