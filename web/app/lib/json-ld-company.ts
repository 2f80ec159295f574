import { COMPANY } from "#content/company.ts";
import { type Rating, SITE } from "#content/site.ts";
import type { JsonLd } from "#lib/json-ld.ts";

/** Identifier of the company in structured data, the same on every page. */
const COMPANY_ID = `${SITE.origin}/#company`;

export function organization(): JsonLd {
  const { name, origin, email } = SITE;
  const { phone, address, social, tagline } = COMPANY;
  return {
    "@context": "https://schema.org",
    "@type": "Organization",
    "@id": COMPANY_ID,
    name,
    url: `${origin}/`,
    logo: `${origin}/icons/icon-512.png`,
    description: tagline,
    email,
    telephone: phone,
    address: {
      "@type": "PostalAddress",
      streetAddress: `${address.street}, ${address.area}`,
      addressLocality: address.city,
      addressRegion: address.state,
      postalCode: address.postalCode,
      addressCountry: "IN",
    },
    sameAs: social.map(({ href }) => href),
  };
}

export function softwareApplication(rating: Rating | null): JsonLd {
  return {
    "@context": "https://schema.org",
    "@type": "SoftwareApplication",
    name: SITE.name,
    url: `${SITE.origin}/`,
    applicationCategory: "FinanceApplication",
    operatingSystem: "Any, in a web browser",
    offers: { "@type": "Offer", price: 0, priceCurrency: "INR" },
    publisher: { "@id": COMPANY_ID },
    ...(rating && {
      aggregateRating: {
        "@type": "AggregateRating",
        ratingValue: rating.value,
        bestRating: 5,
        ratingCount: rating.count,
      },
    }),
  };
}
