import { lazy, Suspense } from "react";
import { SITE } from "#content/site.ts";
import { Hero } from "#features/landing/hero.tsx";
import { organization, softwareApplication } from "#lib/json-ld-company.ts";
import { loadOnInteraction } from "#lib/load-on-interaction.ts";
import { pageMeta } from "#lib/seo.ts";

const BelowTheFold = lazy(loadOnInteraction(() => import("./home-below-the-fold.tsx")));

export function meta() {
  return pageMeta({
    title: `${SITE.name}: the trading journal for India`,
    description:
      "Import your Zerodha and Groww files into one trade log. No trade is added twice, and every row that cannot be read is listed with the reason.",
    path: "/",
    updated: "2026-11-23",
    jsonLd: [organization(), softwareApplication(SITE.rating)],
  });
}

export default function HomePage() {
  return (
    <>
      <Hero />
      <Suspense>
        <BelowTheFold />
      </Suspense>
    </>
  );
}
