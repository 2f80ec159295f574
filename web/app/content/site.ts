/** The name of the product stands here and nowhere else in the front end. */
export const SITE = {
  name: "TradeBahi",
  origin: "https://tradebahi.example",
  tagline:
    "The account book for Indian traders. It keeps records; it is not a broker and gives no investment advice.",
  email: "hello@tradebahi.example",
  phone: "+91 80 4718 2200",
  address: ["3rd floor, 27th Main Road,", "HSR Layout Sector 1, Bengaluru,", "Karnataka 560102, India"],
  copyright: "© 2024 TradeBahi. All rights reserved.",
  misspellings: ["Tradebhai", "Trade Bahi", "Tradbahi", "Trade Bhai", "Tradebahee"],
} as const;
