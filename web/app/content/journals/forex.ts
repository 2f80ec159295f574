import type { JournalContent } from "#content/journals/journal-content.ts";

export const FOREX: JournalContent = {
  path: "/forex-trading-journal",
  keyword: "Forex Trading",
  updated: "2026-11-20",
  description:
    "A forex trading journal for what is allowed in India: rupee pairs on recognised exchanges, prices to four decimals, profit in rupees to the paisa.",
  lead: "For rupee pairs on Indian exchanges, priced to four decimals. No account needed.",
  why: [
    "Currency moves in steps of a quarter of a paisa, on a thousand dollars at a time. Rounded by hand, a day of small trades no longer adds up; here prices keep four decimals and every sum is exact.",
    "Write down the pair, the units and both prices. A position that you open and close on one day goes under Intraday; what you carry overnight goes under Equity, the tab for everything held longer.",
  ],
  example: {
    quantity: 5000,
    buyPrice: 86.425,
    sellPrice: 86.5175,
    story:
      "You buy 5 lots of a USDINR future, 5,000 dollars, at ₹86.4250, with a target of ₹86.5500 and a stop loss at ₹86.3500. You risk ₹375 to make ₹625. You sell at ₹86.5175.",
    after:
      "There is no STT on currency contracts. Two orders at ₹20 with 18 % GST come to ₹47.20, and the exchange's fee to a few rupees more: here charges take about a tenth of the profit. In a small move they are most of it.",
  },
  questions: [
    {
      question: "Is forex trading legal in India?",
      answer:
        "Residents may trade currency contracts on recognised exchanges, through brokers registered with SEBI. In practice what trades there are contracts against the rupee: dollar, euro, pound and yen. Trading on margin with platforms abroad is not permitted.",
    },
    {
      question: "What does the RBI require?",
      answer:
        "A rupee contract is meant to hedge an exposure that you have. Up to positions of 100 million dollars over all exchanges you need not show papers for it, but the exposure must exist. This has been spelt out since May 2024; ask your broker how it is confirmed.",
    },
    {
      question: "How do I know that a forex app is not allowed?",
      answer:
        "The RBI keeps an Alert List of platforms that are not authorised. A name that is missing from it may still be unauthorised. Whoever offers EUR/USD with high leverage and takes the money by UPI or in crypto is not an Indian exchange.",
    },
    {
      question: "Lots or units?",
      answer:
        "Units. One lot of USDINR, EURINR or GBPINR is 1,000 of the foreign currency. For JPYINR a lot is 1,00,000 yen and the price is for 100 yen: enter 1,000 for each lot, and the sum is right.",
    },
    {
      question: "How are gains on currency contracts taxed?",
      answer:
        "Trades in currency futures and options on a recognised exchange are business income that is not speculative, taxed at your slab rate. Losses can be carried forward for eight years if you file in time. Ask a chartered accountant about your own case.",
    },
  ],
};
