import { expect, test } from "vitest";
import { SITE } from "#content/site.ts";
import { breadcrumbs, faqPage } from "./json-ld.ts";
import { organization, softwareApplication } from "./json-ld-company.ts";

test("[9S-01] [9S-02] the application is free and has the rating of the page", () => {
  const thing = softwareApplication({ value: 4.8, count: 1245 });
  expect(thing.offers).toEqual({ "@type": "Offer", price: 0, priceCurrency: "INR" });
  expect(thing.aggregateRating).toMatchObject({ ratingValue: 4.8, ratingCount: 1245, bestRating: 5 });
  expect(SITE.rating).toEqual({ value: 4.8, count: 1245 });
});

test("[9S-02] has no rating without one", () => {
  expect(softwareApplication(null)).not.toHaveProperty("aggregateRating");
});

test("the company has an Indian address and absolute URLs", () => {
  const company = organization();
  expect(company.address).toMatchObject({
    addressCountry: "IN",
    postalCode: expect.stringMatching(/^\d{6}$/),
  });
  for (const address of [company.url, company.logo, ...(company.sameAs as string[])]) {
    expect(address).toMatch(/^https:\/\//);
  }
});

test("each question has one answer", () => {
  const page = faqPage([{ question: "Is it free?", answer: "Yes." }]);
  expect(page.mainEntity).toEqual([
    {
      "@type": "Question",
      name: "Is it free?",
      acceptedAnswer: { "@type": "Answer", text: "Yes." },
    },
  ]);
});

test("breadcrumbs are numbered from one and have absolute URLs", () => {
  const list = breadcrumbs([
    { name: "Home", path: "/" },
    { name: "About Us", path: "/about-us" },
  ]);
  expect(list.itemListElement).toEqual([
    { "@type": "ListItem", position: 1, name: "Home", item: `${SITE.origin}/` },
    { "@type": "ListItem", position: 2, name: "About Us", item: `${SITE.origin}/about-us` },
  ]);
});
