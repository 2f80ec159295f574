import type { JournalContent } from "#content/journals/journal-content.ts";

export const CRYPTO: JournalContent = {
  path: "/crypto-trading-journal",
  keyword: "Crypto Trading",
  updated: "2026-11-20",
  description:
    "A crypto trading journal in rupees for India: fractions of a coin, exact sums, and what the 30 % tax and the 1 % TDS mean for each trade.",
  lead: "In rupees, with fractions of a coin down to six decimals. No account needed.",
  why: [
    "Crypto never closes, and its tax in India forgives nothing: each gain is taxed on its own, and no loss makes another gain smaller. So it matters to know each trade, not only the balance.",
    "Write down what you paid and what you got in rupees. Put trades that were opened and closed on one day under Intraday, and what you held longer under Equity, the tab for everything that stays overnight.",
  ],
  example: {
    quantity: 0.025,
    buyPrice: 8500000,
    sellPrice: 8740000,
    story:
      "You buy 0.025 BTC at ₹85,00,000 a coin, with a target of ₹89,00,000 and a stop loss at ₹83,00,000. You risk ₹5,000 to make ₹10,000. Two days later you sell at ₹87,40,000.",
    after:
      "The tax on it is ₹1,872: 30 % of the gain, and 4 % cess on that. On the sale 1 % is kept back as TDS, ₹2,185. That is no further cost, but paid in advance, and counts against your tax. The exchange's fees reduce what you get, not what you are taxed on.",
  },
  questions: [
    {
      question: "How is crypto taxed in India?",
      answer:
        "Gains on virtual digital assets are taxed at a flat 30 %, plus surcharge where it applies and 4 % cess. Only the cost of acquisition may be deducted: no fees, no interest, no other expense.",
    },
    {
      question: "Can I set a loss in one coin off against a gain in another?",
      answer:
        "No. A loss on a virtual digital asset cannot be set off against any other income, not even against the gain on another coin, and it cannot be carried forward.",
    },
    {
      question: "What is the 1 % TDS?",
      answer:
        "Whoever pays you, in practice the exchange, deducts 1 % of the amount of a sale and pays it to the government in your name. Up to ₹10,000 in a year may go without, up to ₹50,000 where an individual without a large business pays you; many exchanges deduct from the first sale. It counts as tax you have paid, and you get back what is too much with your return.",
    },
    {
      question: "I swapped one coin for another. How do I write that down?",
      answer:
        "As a sale of the first at its value in rupees at that moment, and as the buy of the second at the same value. For the tax, too, a swap is a sale.",
    },
    {
      question: "Is crypto legal in India?",
      answer:
        "Holding and trading it is not forbidden, but it is no legal tender, and so far no regulator protects you as SEBI does with shares. Exchanges that serve India must register with the Financial Intelligence Unit (FIU-IND). Look whether yours is.",
    },
    {
      question: "Can I enter prices in dollars or USDT?",
      answer:
        "Enter rupees: all sums and totals here are in rupees, and so is your tax return. Take the rate at which you really exchanged, not one from the news.",
    },
  ],
};
