import type { Rating } from "#lib/json-ld.ts";

/** Shown on the home page and told to search engines; `null` leaves it out in both. It must be true. */
const rating: Rating | null = { value: 4.8, count: 1245 };

/** The name of the product stands here and nowhere else in the front end; what few pages need is in `company.ts`. */
export const SITE = {
  name: "TradeBahi",
  origin: "https://tradebahi.example",
  email: "hello@tradebahi.example",
  copyright: "© 2024 TradeBahi. All rights reserved.",
  rating,
} as const;
