const ENTRIES = [
  {
    kind: "Import",
    title: "Your broker's original file",
    text: "Download the tradebook from Zerodha or the order history from Groww and drop the file here. You do not have to rename or move any column.",
  },
  {
    kind: "Check",
    title: "The same trade never counts twice",
    text: "If files overlap, only the new trades are added. A row that cannot be read is skipped and listed with its cell and the reason.",
  },
  {
    kind: "Review",
    title: "One log across your brokers",
    text: "Every buy and every sell, equity and F&O, NSE and BSE, newest first. Times are India time, so 9:15 is 9:15 wherever you open it.",
  },
];

export function HowItWorks() {
  return (
    <section aria-labelledby="how" className="page-width py-20 md:py-28">
      <h2 id="how" className="max-w-xl text-h2">
        From a spreadsheet to a record you can trust
      </h2>
      <dl className="mt-10 border-line border-y">
        {ENTRIES.map(({ kind, title, text }) => (
          <div
            key={kind}
            className="grid border-line border-b last:border-b-0 sm:grid-cols-[10rem_1fr] lg:grid-cols-[16rem_1fr]"
          >
            <dt className="pt-7 font-semibold text-ink-3 text-ui sm:border-rule sm:border-r sm:pb-7">
              {kind}
            </dt>
            <dd className="grid gap-x-10 gap-y-2 pt-2 pb-7 sm:pt-7 sm:pl-8 lg:grid-cols-[19rem_1fr]">
              <h3 className="text-h4">{title}</h3>
              <p className="max-w-[62ch] text-ink-2">{text}</p>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
