import { lazy, Suspense } from "react";
import { SITE } from "#content/site.ts";
import { CareersHero } from "#features/careers/careers-hero.tsx";
import { OpeningCards } from "#features/careers/opening-cards.tsx";
import { breadcrumbs } from "#lib/json-ld.ts";
import { loadOnInteraction } from "#lib/load-on-interaction.ts";
import { pageMeta } from "#lib/seo.ts";

const BelowTheFold = lazy(loadOnInteraction(() => import("./careers-below-the-fold.tsx")));

const PATH = "/careers";

export function meta() {
  return pageMeta({
    title: "Careers",
    description: `Paid internships at ${SITE.name}: eight openings in engineering, marketing, research and design, and our recruitment process, step by step.`,
    path: PATH,
    updated: "2026-11-23",
    jsonLd: [
      breadcrumbs([
        { name: "Home", path: "/" },
        { name: "Careers", path: PATH },
      ]),
    ],
  });
}

export default function CareersPage() {
  return (
    <>
      <CareersHero />
      <OpeningCards />
      <Suspense>
        <BelowTheFold />
      </Suspense>
    </>
  );
}
