import type { JournalContent } from "#content/journals/journal-content.ts";

export const TRADING: JournalContent = {
  path: "/trading-journal",
  keyword: "Trading",
  updated: "2026-11-20",
  description:
    "A trading journal in your browser: write down the buy, the sell, the target and the stop, and read your profit or loss. No account needed.",
  lead: "Write each trade down as you close it. You need no account: this journal belongs to this browser.",
  why: [
    "Your broker keeps the prices. Nobody keeps the plan. A journal puts the target and the stop beside what really happened, while you still remember both.",
    "After thirty trades you know things that no statement tells you: whether you sell winners too early, whether you respect your stop loss, and which symbols cost you more than they earn.",
  ],
  example: {
    quantity: 75,
    buyPrice: 1588.4,
    sellPrice: 1602.55,
    story:
      "You buy 75 INFY at ₹1,588.40, with a target of ₹1,610.00 and a stop loss at ₹1,575.00. You risk ₹1,005 to make ₹1,620. In the afternoon it stalls, and you sell at ₹1,602.55.",
    after:
      "This is before charges. The line says more than WIN: you took 66 % of the move you had planned. After ten trades like this you know whether that is caution or habit.",
  },
  questions: [
    {
      question: "What should I write in a trading journal?",
      answer:
        "For each trade: the symbol, how many, the buy price and the sell price, the target and the stop loss you had in mind, and both times. The journal works out the profit or loss and whether it was a win.",
    },
    {
      question: "Is the profit or loss before or after charges?",
      answer:
        "Before. It is the sell price less the buy price, times the quantity, to two decimals. Brokerage, STT, exchange fees, GST and stamp duty are on your contract note.",
    },
    {
      question: "Where do I write an intraday trade, and where one that I held longer?",
      answer:
        "Intraday is for what you opened and closed on the same day. Everything that stayed with you overnight goes under Equity. Each has its own list and its own total.",
    },
    {
      question: "How do I write down a short sale?",
      answer:
        "With the sell time before the buy time. The prices stay in their own fields, and the sum is the same: selling at ₹500 and buying back at ₹490 is a win of ₹10 a share.",
    },
    {
      question: "Who can see my trades?",
      answer:
        "Only you, in this browser. The journal is opened with a key in a cookie of this browser, which scripts cannot read. Nobody else has it, and visitors never see each other's trades.",
    },
    {
      question: "How long are my trades kept?",
      answer:
        "For 90 days after the last one you save. If you clear your browser data, the key is lost and the journal cannot be opened any more. To avoid both, log in and keep the trades in your account.",
    },
  ],
};
