import { ArrowRight } from "lucide-react";
import { lazy, Suspense } from "react";
import { SITE } from "#content/site.ts";
import { OpenBook } from "#features/landing/open-book.tsx";
import { RatingLine } from "#features/landing/rating-line.tsx";
import { organization, softwareApplication } from "#lib/json-ld-company.ts";
import { onFirstSign } from "#lib/on-first-sign.ts";
import { pageMeta } from "#lib/seo.ts";
import { ButtonLink } from "#ui/button.tsx";

const BelowTheFold = lazy(onFirstSign(() => import("./home-below-the-fold.tsx")));

export function meta() {
  return pageMeta({
    title: `${SITE.name}: the trading journal for India`,
    description:
      "Bring in your Zerodha and Groww files and keep every trade on the record: one log, no trade twice, every unreadable row named.",
    path: "/",
    updated: "2026-11-20",
    jsonLd: [organization(), softwareApplication(SITE.rating)],
  });
}

export default function HomePage() {
  return (
    <>
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
              Bring in your Zerodha and Groww files. {SITE.name} puts them into one account book, without the
              same trade twice.
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
          Reads the files as the brokers make them:{" "}
          <strong className="font-semibold text-ink">Zerodha tradebook</strong>, XLSX and CSV, and{" "}
          <strong className="font-semibold text-ink">Groww order history</strong>, XLSX.
        </p>
      </div>
      <Suspense>
        <BelowTheFold />
      </Suspense>
    </>
  );
}
