import type { JournalContent } from "#content/journals/journal-content.ts";

export const STOCK_MARKET: JournalContent = {
  path: "/stock-market-trading-journal",
  keyword: "Stock Market Trading",
  updated: "2026-11-20",
  description:
    "A stock market trading journal that sets every plan beside its result: target, stop loss, win or loss, intraday and delivery apart. No sign-up.",
  lead: "Put the plan and the result of every stock trade on one line. No account needed.",
  why: [
    "In the stock market a single trade proves nothing. A good decision can lose and a careless one can win; only many of them, written down in the same way, tell the two apart.",
    "So note the target and the stop loss before you know how it ends. Later you can ask the honest question: did I follow the plan, and was the plan worth following?",
  ],
  example: {
    quantity: 200,
    buyPrice: 412.3,
    sellPrice: 420.8,
    story:
      "You buy 200 ITC at ₹412.30. The target is ₹424.00, the stop loss ₹406.00: you risk ₹1,260 to make ₹2,340, or 1.86 times the risk. Results are due, so you sell a day early at ₹420.80.",
    after:
      "Before charges you made 1.35 times what you had risked. Held overnight this is a delivery trade: STT of 0.1 % is due on the buy and on the sale, about ₹167 here, before stamp duty and the exchange's fee.",
  },
  questions: [
    {
      question: "How is a stock market journal different from my broker's tradebook?",
      answer:
        "The tradebook lists orders that were filled. A journal lists trades from beginning to end, with the target and the stop loss that you had in mind. The broker never knew those, so no report can give them back to you.",
    },
    {
      question: "What is a good ratio of risk to reward?",
      answer:
        "It depends on how often you win. If you win half of your trades, you need to make more than you risk, charges included. If you win a third, you need more than twice the risk. Your own lines tell you which of these you are.",
    },
    {
      question: "Should I write down losing trades as well?",
      answer:
        "Those first of all. A journal of winners flatters you and teaches you nothing. A loss that ended at the stop loss is a plan that was kept; one far beyond it is the line to look at.",
    },
    {
      question: "I bought in two lots at different prices. How do I enter that?",
      answer:
        "Write two trades, each with its own quantity and price, or one trade at the average price. Prices may have up to four decimals, so the average need not be rounded.",
    },
    {
      question: "How many trades do I need before the totals mean something?",
      answer:
        "Below twenty, one lucky trade can turn the picture. After fifty of the same kind you can begin to trust it, as long as you wrote all of them down.",
    },
  ],
};
