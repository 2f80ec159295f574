import { SITE } from "#content/site.ts";

/** A description of a thing for search engines, by schema.org. All that it says stands on the page as well. */
export type JsonLd = { "@context": "https://schema.org"; "@type": string; [property: string]: unknown };

export type Rating = { value: number; count: number };

export type Question = { question: string; answer: string };

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

/** From the home page down to this one; paths as for `pageMeta`. */
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
