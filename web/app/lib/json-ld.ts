import type { Question } from "#content/journals/journal-content.ts";
import { SITE } from "#content/site.ts";

/** A schema.org description for search engines. The page must show everything in it. */
export type JsonLd = { "@context": "https://schema.org"; "@type": string; [property: string]: unknown };

export function faqPage(questions: readonly Question[]): JsonLd {
  return {
    "@context": "https://schema.org",
    "@type": "FAQPage",
    mainEntity: questions.map(({ question, answer }) => ({
      "@type": "Question",
      name: question,
      acceptedAnswer: { "@type": "Answer", text: answer },
    })),
  };
}

/** Returns the trail from the home page to this page; paths as for `pageMeta`. */
export function breadcrumbs(trail: readonly { name: string; path: string }[]): JsonLd {
  return {
    "@context": "https://schema.org",
    "@type": "BreadcrumbList",
    itemListElement: trail.map(({ name, path }, index) => ({
      "@type": "ListItem",
      position: index + 1,
      name,
      item: SITE.origin + path,
    })),
  };
}
