/** Data of the company that runs the product. Example values: replace them with your own. */
export const COMPANY = {
  tagline:
    "The account book for Indian traders. It keeps records; it is not a broker and gives no investment advice.",
  phone: "+91 80 4718 2200",
  address: {
    street: "3rd floor, 27th Main Road",
    area: "HSR Layout Sector 1",
    city: "Bengaluru",
    state: "Karnataka",
    postalCode: "560102",
  },
  social: [
    { name: "LinkedIn", href: "https://linkedin.tradebahi.example" },
    { name: "X", href: "https://x.tradebahi.example" },
    { name: "YouTube", href: "https://youtube.tradebahi.example" },
  ],
  misspellings: ["Tradebhai", "Trade Bahi", "Tradbahi", "Trade Bhai", "Tradebahee"],
} as const;
