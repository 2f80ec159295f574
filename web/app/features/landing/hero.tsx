import { ArrowRight } from "lucide-react";
import { lazy, Suspense } from "react";
import { type Rating, SITE } from "#content/site.ts";
import { ExampleLedger } from "#features/landing/example-ledger.tsx";
import { count } from "#lib/format.ts";
import { ButtonLink } from "#ui/button.tsx";

// Part of the prerendered page; its script loads after what the page needs first.
const Highlights = lazy(async () => ({
  default: (await import("#features/landing/highlights.tsx")).Highlights,
}));

/** First screen of the home page: headline, link to the dashboard, example log and highlights. */
export function Hero() {
  return (
    <div className="page-width pt-12 md:pt-16">
      <p className="inline-flex h-7 items-center rounded-tag bg-brand-soft px-2.5 font-semibold text-brand text-floor">
        Now in Beta
      </p>
      <div className="mt-5 grid items-end gap-x-16 gap-y-6 lg:grid-cols-[1fr_26rem]">
        <h1 tabIndex={-1} className="max-w-[14ch] text-display">
          Every trade, on the record.
        </h1>
        <div>
          <p className="max-w-[44ch] text-ink-2 text-lead">
            Import the files of Zerodha, Groww and nine more brokers. {SITE.name} combines them into one log
            and adds no trade twice.
          </p>
          <div className="mt-6 flex flex-wrap items-center gap-x-6 gap-y-4">
            <ButtonLink to="/dashboard" iconEnd={<ArrowRight size={17} aria-hidden />}>
              Go to Dashboard
            </ButtonLink>
            {SITE.rating && <RatingLine rating={SITE.rating} />}
          </div>
        </div>
      </div>
      <div className="mt-12">
        <OpenBook />
      </div>
      <p className="mt-6 text-center text-data text-ink-2">
        Reads the brokers' original files, such as the{" "}
        <strong className="font-semibold text-ink">Zerodha tradebook</strong> and the{" "}
        <strong className="font-semibold text-ink">Groww order history</strong>.
      </p>
    </div>
  );
}

/** The same rating as in the structured data of the page. */
function RatingLine({ rating: { value, count: ratings } }: { rating: Rating }) {
  return (
    <p className="flex items-center gap-2.5 text-data">
      <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true" className="shrink-0 fill-marigold">
        <path d="m10 1 2.8 5.9 6.4.8-4.7 4.5 1.2 6.4L10 15.5l-5.7 3.1 1.2-6.4L.8 7.7l6.4-.8z" />
      </svg>
      <span>
        <strong className="block font-semibold">{value} out of 5</strong>
        <span className="text-ink-2">{count(ratings)} ratings</span>
      </span>
    </p>
  );
}

/** Example log and highlights, drawn as the two pages of an open book with a stitched spine. */
function OpenBook() {
  return (
    <div className="grid overflow-hidden rounded-panel border border-line bg-surface shadow-lift min-[72rem]:grid-cols-[minmax(0,1fr)_auto_20rem]">
      <ExampleLedger />
      <div
        aria-hidden="true"
        className="flex items-center justify-center border-line bg-sunken max-[72rem]:h-4 max-[72rem]:border-y min-[72rem]:w-4 min-[72rem]:border-x"
      >
        <span className="stitches" />
      </div>
      <Suspense>
        <Highlights />
      </Suspense>
    </div>
  );
}
