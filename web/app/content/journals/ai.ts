import type { JournalContent } from "#content/journals/journal-content.ts";
import { SITE } from "#content/site.ts";

export const AI: JournalContent = {
  path: "/ai-trading-journal",
  keyword: "AI Trading",
  updated: "2026-11-20",
  description:
    "What AI can do for a trading journal, what it cannot, and what is here today: honest records of every trade that any analysis has to begin with.",
  lead: "Good records first: no machine can learn from trades that nobody wrote down.",
  why: [
    `No AI is used in this journal today. Profit and loss are arithmetic, and you can check every result. ${SITE.name} plans AI-powered insights, but they are not available yet.`,
    "What any analysis needs, by a model or by you, is the same: every trade, the losing ones too, with plan and result in the same fields each time. Take ten trades, six wins of ₹900 and four losses of ₹1,500: a win rate of 60 %, and a loss of ₹600. You do not need AI to see that, only the ten trades.",
  ],
  example: {
    quantity: 150,
    buyPrice: 624.1,
    sellPrice: 618.6,
    story:
      "A model that you follow says buy. You buy 150 HINDALCO at ₹624.10, with its target of ₹636.00 and its stop loss at ₹618.00, which risks ₹915 to make ₹1,785. In the last hour you close it at ₹618.60.",
    after:
      "Write down what a signal told you and what you did with it. After fifty signals the journal, not the advertisement, says what the model is worth to you after charges.",
  },
  questions: [
    {
      question: "Is there AI in this journal?",
      answer:
        "Not today. The journal only calculates and sorts. If we add insights from a model, they will be marked as such, and you will be able to turn them off.",
    },
    {
      question: "What could AI find in my trades?",
      answer:
        "Patterns that are tedious to look for by hand: the hour in which you lose most, the symbols you overtrade, the losses you let run. It finds them only in trades that were recorded the same way every time.",
    },
    {
      question: "Can AI tell me what to buy?",
      answer: `Be careful with anyone who says so. Advice on securities for a fee needs a registration with SEBI, whether a person or a program gives it, and no registration promises returns. ${SITE.name} gives no advice.`,
    },
    {
      question: "Are my trades used to train a model?",
      answer:
        "No. An anonymous journal can be opened only with the key in your browser. Your trades are shown to you and used for nothing else.",
    },
    {
      question: "May a retail trader in India let a program place orders?",
      answer:
        "Through a broker who offers it, under the framework that SEBI and the exchanges have for retail algorithms: orders by program go through the broker's interface and are tagged, and above a set rate the strategy has to be registered. This journal places no orders.",
    },
  ],
};
