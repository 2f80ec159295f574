import type { JournalContent } from "#content/journals/journal-content.ts";

export const NSE: JournalContent = {
  path: "/nse-trading-journal",
  keyword: "NSE Trading",
  updated: "2026-11-20",
  description:
    "A trading journal for NSE traders: symbol, target, stop loss and both times on one line, profit before charges to the paisa, no account needed.",
  lead: "Write each NSE trade down as you close it. No account needed: this journal belongs to this browser.",
  why: [
    "The exchange keeps your orders and your broker keeps your contract notes. Neither keeps the reason. Put the target and the stop beside the fill while you still remember them.",
    "In a month the table answers what you could not: whether you let winners run to the target, or only losers to the stop.",
  ],
  example: {
    quantity: 120,
    buyPrice: 1428.6,
    sellPrice: 1440.85,
    story:
      "You buy 120 RELIANCE on NSE at ₹1,428.60, with a target of ₹1,442.00 and a stop loss at ₹1,421.00. You risk ₹912 to make ₹1,608. You sell at ₹1,440.85 the same afternoon.",
    after:
      "At a broker who takes ₹20 an order, charges come to about ₹108: ₹40 brokerage, ₹43 STT (0.025 % of the sale), some ₹10 to the exchange, ₹9 GST, ₹5 stamp duty. What stays is close to ₹1,362.",
  },
  questions: [
    {
      question: "Which symbol do I use for an NSE share?",
      answer:
        "The one that your broker and the exchange show, such as RELIANCE, TCS or M&M. It is stored in capitals. For a futures or options contract use its full name, so that two expiries stay apart.",
    },
    {
      question: "Is the P&L before or after NSE charges?",
      answer:
        "Before. It is (sell price − buy price) × quantity, to two decimals. STT, transaction fee, GST and stamp duty follow from your contract note, and differ between intraday and delivery.",
    },
    {
      question: "My broker squared off my intraday position. What do I enter?",
      answer:
        "The price and time of the square-off as the sale, or as the buy if you were short. If the broker charged a fee for it, it is not in this profit: it is on the contract note.",
    },
    {
      question: "I hold a share that trades on both NSE and BSE. Does it matter here?",
      answer:
        "Not for the sum. You can buy on one exchange and sell on the other once the shares are in your demat account. Keep one symbol for both, so that you find all trades of the share together.",
    },
    {
      question: "Are the prices filled in for me?",
      answer:
        "No. This page has no market data: it stores the prices at which you really bought and sold, which no closing price could replace.",
    },
  ],
};
