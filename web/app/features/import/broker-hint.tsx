import { SAMPLE_FILE } from "#content/books.ts";
import type { ImportFields } from "#features/import/import-schema.ts";

type Hint = { title: string; steps: readonly string[]; note?: string };

function hintFor({ broker, tradetype }: Pick<ImportFields, "broker" | "tradetype">): Hint {
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
  return {
    title: "How to get the file from Groww",
    steps: [
      "Open Groww and go to your Profile.",
      "Go to Reports, then Stocks order history.",
      "Choose the period and download the XLSX.",
      "Leave the file as it is.",
    ],
    ...(tradetype === "fno" && {
      note: "For futures and options Groww gives a P&L report only, which holds no single trades. It cannot be read.",
    }),
  };
}

export function BrokerHint(book: Pick<ImportFields, "broker" | "tradetype">) {
  const { title, steps, note } = hintFor(book);
  return (
    <section aria-label={title} className="border-rule border-l pl-5 text-ui">
      <h2 className="font-sans font-semibold text-ui tracking-normal">{title}</h2>
      <ol className="mt-3 list-decimal space-y-1.5 pl-5 text-ink-2 marker:text-ink-3">
        {steps.map((step) => (
          <li key={step} className="pl-1">
            {step}
          </li>
        ))}
      </ol>
      {note && <p className="mt-3 font-medium text-warn">{note}</p>}
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
