/** Average rating out of 5, and the number of ratings. */
export type Rating = { value: number; count: number };

/** Shown on the home page and in its structured data; `null` omits it in both. The figures must be true. */
const rating: Rating | null = { value: 4.8, count: 1245 };

/** Product name and address. The front end takes them from here only; `company.ts` has the data that few pages need. */
export const SITE = {
  name: "TradeBahi",
  origin: "https://tradebahi.example",
  email: "hello@tradebahi.example",
  copyright: "© TradeBahi. All rights reserved.",
  rating,
} as const;
