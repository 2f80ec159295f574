import type { JournalContent } from "#content/journals/journal-content.ts";

export const INDIAN_STOCK_MARKET: JournalContent = {
  path: "/indian-stock-market-trading-journal",
  keyword: "Indian Stock Market Trading",
  updated: "2026-11-20",
  description:
    "A trading journal made for the Indian stock market: rupees with lakhs and crores, India time, intraday and delivery apart as the tax rules want it.",
  lead: "In rupees, in India time, with intraday and delivery kept apart. No account needed.",
  why: [
    "Journals from abroad count in dollars and know one kind of trade. In India the day decides: what you buy and sell on one day is intraday, and is taxed as speculation; what you hold overnight settles into your demat account the next trading day and is an investment, or a business, of its own.",
    "This journal keeps the two in separate lists, writes 1,50,000 and not 150,000, and uses India time, so 9:15 is 9:15 in India wherever you open it.",
  ],
  example: {
    quantity: 30,
    buyPrice: 3512,
    sellPrice: 3648.5,
    story:
      "You buy 30 TCS at ₹3,512.00 for a swing of some weeks, with a target of ₹3,700.00 and a stop loss at ₹3,430.00. You risk ₹2,460 to make ₹5,640. Five weeks later you sell at ₹3,648.50.",
    after:
      "Before charges. STT of 0.1 % on both sides takes about ₹215. Sold within a year of buying, the gain is short-term: at 20 % and 4 % cess on top, at most ₹852 of it is tax, less once charges other than STT are taken off.",
  },
  questions: [
    {
      question: "How are intraday profits taxed in India?",
      answer:
        "Buying and selling shares on one day without delivery is speculative business income, taxed at your slab rate. A speculative loss can be set off only against speculative profit, and carried forward for four years. Ask a chartered accountant about your own case.",
    },
    {
      question: "And the gains on shares that I held?",
      answer:
        "On listed shares with STT paid: held for up to twelve months the gain is short-term and taxed at 20 %; held longer it is long-term, taxed at 12.5 % on what is above ₹1,25,000 in the year. Surcharge, where it applies, and cess come on top.",
    },
    {
      question: "Which charges does a trade on an Indian exchange carry?",
      answer:
        "Brokerage, securities transaction tax (STT), the exchange's transaction fee, the SEBI fee, stamp duty on the buy, and 18 % GST on brokerage and fees. A delivery sale also carries a depository charge. The profit shown here is before all of them.",
    },
    {
      question: "Does the journal follow the financial year?",
      answer:
        "It keeps the date and time of each buy and sale in India time, so that you can draw the line at 31 March yourself. Its totals are over everything in the list.",
    },
    {
      question: "Can I bring in my trades from Zerodha or Groww?",
      answer:
        "Yes, with a free account: it reads the original files of Zerodha (tradebook) and Groww (order history), and counts no trade twice. This page is for trades that you write down by hand.",
    },
    {
      question: "Do futures and options go in here?",
      answer:
        "You can write them down: use the name of the contract as the symbol and units, not lots, as the quantity, so that two lots of 65 are 130. Note that F&O is taxed as business income that is not speculative, unlike intraday shares.",
    },
  ],
};
