import { type Book, SAMPLE_FILE } from "#content/books.ts";
import { Steps } from "#ui/steps.tsx";

type Hint = { title: string; steps: readonly string[]; note?: string };

function hintFor({ broker, tradetype }: Book): Hint {
  if (broker === "zerodha") {
    return {
      title: "How to get the file from Zerodha",
      steps: [
        "Open Zerodha Console and log in.",
        "Go to Reports, then Tradebook.",
        `Choose the segment ${tradetype === "equity" ? "Equity" : "F&O"} and the period.`,
        "Download it as XLSX or CSV, and leave it as it is.",
      ],
    };
  }
  const title = "How to get the file from Groww";
  const first = "Open Groww and go to your Profile.";
  const last = ["Choose the period and download the XLSX.", "Leave the file as it is."];
  if (tradetype === "equity") {
    return { title, steps: [first, "Go to Reports, then Stocks – order history.", ...last] };
  }
  return {
    title,
    steps: [first, "Go to Reports, then F&O – P&L.", ...last],
    note: "Groww gives no list of single F&O trades. Each pair of its P&L report becomes a buy and a sell, with the day and without the time.",
  };
}

export function BrokerHint(book: Book) {
  const { title, steps, note } = hintFor(book);
  return (
    <section aria-label={title} className="border-rule border-l pl-5 text-ui">
      <Steps title={title} steps={steps} />
      {note && <p className="mt-3 text-ink-2">{note}</p>}
      <p className="mt-4 text-ink-2">
        Nothing at hand? Try it with the{" "}
        <a href={SAMPLE_FILE.href} download className="link">
          {SAMPLE_FILE.label.toLowerCase().replace("csv", "CSV")}
        </a>
        , a made-up Zerodha tradebook.
      </p>
    </section>
  );
}
