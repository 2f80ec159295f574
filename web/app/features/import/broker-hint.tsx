import { type Book, brokerName, SAMPLE_FILE } from "#lib/books.ts";
import { Steps } from "#ui/steps.tsx";

type Hint = { title: string; steps: readonly string[]; note?: string };

/** Reports of the brokers from which trades are imported. */
const REPORTS: Readonly<Record<Exclude<Book["broker"], "zerodha" | "groww">, string>> = {
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

function hintFor({ broker, tradetype }: Book): Hint {
  if (broker === "zerodha") {
    return {
      title: "How to get the file from Zerodha",
      steps: [
        "Open Zerodha Console and log in.",
        "Go to Reports, then Tradebook.",
        `Choose the segment ${tradetype === "equity" ? "Equity" : "F&O"} and the period.`,
        "Download the XLSX or CSV file. Do not edit it.",
      ],
    };
  }
  if (broker !== "groww") {
    return {
      title: `How to get the file from ${brokerName(broker)}`,
      steps: [`Download the ${REPORTS[broker]} for the period.`, "Do not edit it."],
      note: "If the file has both shares and contracts, upload it once for each trade type.",
    };
  }
  const title = "How to get the file from Groww";
  const first = "Open Groww and go to your Profile.";
  const last = ["Choose the period.", "Download the XLSX file. Do not edit it."];
  if (tradetype === "equity") {
    return { title, steps: [first, "Go to Reports, then Stocks – order history.", ...last] };
  }
  return {
    title,
    steps: [first, "Go to Reports, then F&O – P&L.", ...last],
    note: "Groww has no list of single F&O trades. Each row of its P&L report becomes a buy and a sell, with a date but no time.",
  };
}

/** Instructions for downloading the file of a book from the broker. */
export function BrokerHint(book: Book) {
  const { title, steps, note } = hintFor(book);
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
