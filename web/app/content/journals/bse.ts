import type { JournalContent } from "#content/journals/journal-content.ts";

export const BSE: JournalContent = {
  path: "/bse-trading-journal",
  keyword: "BSE Trading",
  updated: "2026-11-20",
  description:
    "A BSE trading journal for large caps and for the small ones that trade nowhere else: plan, fill and result on one line, in this browser.",
  lead: "For SENSEX names and for the small caps that trade only here. No account needed.",
  why: [
    "Thousands of companies are listed on BSE alone. Many of them trade thinly: between the price you wanted and the price you got there can be more than between your target and your stop.",
    "A journal shows that gap. Write the plan down with the order, the fill when it comes, and after some weeks you know which groups you can trade and which only look cheap.",
  ],
  example: {
    quantity: 60,
    buyPrice: 976.4,
    sellPrice: 1004.15,
    story:
      "You buy 60 HDFCBANK on BSE at ₹976.40 and hold them for three weeks, with a target of ₹1,010.00 and a stop loss at ₹955.00. You risk ₹1,284 to make ₹2,016. You sell at ₹1,004.15.",
    after:
      "Delivery costs more in tax than intraday: STT of 0.1 % on both sides is ₹119 here. With stamp duty, the exchange's fee and the depository charge it comes to about ₹150, at a broker who takes nothing for delivery.",
  },
  questions: [
    {
      question: "Symbol or scrip code?",
      answer:
        "Either works, as long as you stay with one. BSE knows each share by a six-digit code, 500325 for Reliance, and by a short name. The short name is easier to read a year later.",
    },
    {
      question: "Why can I not trade some BSE shares intraday?",
      answer:
        "Shares in the trade-to-trade groups, such as T, must be delivered: each buy is paid and each sale is handed over, with no netting on the day. Those trades belong under Equity.",
    },
    {
      question: "Are the charges on BSE the same as on NSE?",
      answer:
        "STT, stamp duty, SEBI fee and GST are the same. The exchange's own fee is not: on BSE it depends on the group of the share, and for some groups it is many times that of the main ones.",
    },
    {
      question: "How do I write down SENSEX options?",
      answer:
        "With the full name of the contract as the symbol, the premium as the price, and units as the quantity, which is lots times the lot size of the day. If it expired worthless, the price of the sale cannot be zero here: enter 0.0001, the smallest that it takes, and the loss is right to the paisa or close to it.",
    },
    {
      question: "I was filled in parts at several prices. Which do I enter?",
      answer:
        "The average of your contract note; up to four decimals are kept. If the parts had plans of their own, write each as its own trade.",
    },
  ],
};
