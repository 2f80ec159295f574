import type { JournalContent } from "#content/journals/journal-content.ts";
import { SITE } from "#content/site.ts";

export const FREE: JournalContent = {
  path: "/free-trading-journal",
  keyword: "Free Trading",
  updated: "2026-11-20",
  description:
    "A free trading journal without sign-up, trial or card: write down up to 10,000 trades in this browser and read every win and loss at once.",
  lead: "Nothing to pay, nothing to sign up for. Write your first trade down now.",
  why: [
    "Most journals ask for an email address before they show you anything. This one does not: the first trade you save creates the journal, and only this browser can open it.",
    "Free means free. There is no trial that ends and no card to enter, and there are no ads on these pages. The only limits are 10,000 trades, and 90 days after the last one you save.",
  ],
  example: {
    quantity: 50,
    buyPrice: 815.2,
    sellPrice: 806.4,
    story:
      "You buy 50 SBIN at ₹815.20, with a target of ₹830.00 and a stop loss at ₹808.00. The plan is to risk ₹360 to make ₹740. It falls below the stop loss, you hesitate, and sell at ₹806.40.",
    after:
      "The hesitation cost ₹80 more than the plan allowed. No contract note shows this cost. A journal does, so you can avoid it next time.",
  },
  questions: [
    {
      question: "Is it really free?",
      answer:
        "Yes. There is no price, no trial and no card. You can write down up to 10,000 trades in one journal without giving your name.",
    },
    {
      question: "Do I have to sign up?",
      answer:
        "No. The journal is created when you save your first trade. An account, which is free as well, is there for when you want to read it on another device, or to bring in the files of your broker.",
    },
    {
      question: "What do you do with my data?",
      answer: `Your trades are stored so that you can read them again, and for nothing else. ${SITE.name} shows no ads and sells no data, and an anonymous journal does not even know who you are.`,
    },
    {
      question: "Why is it gone after 90 days?",
      answer:
        "Because nobody could ask us to delete it: we do not know whose it is. Each trade you save restarts the 90 days. In an account the trades are kept as long as the account exists.",
    },
    {
      question: "Can I move a free journal into an account later?",
      answer:
        "Yes, with one click. Log in on this browser, open any journal page, and choose to keep the trades in your account. Nothing has to be typed again.",
    },
    {
      question: "Would a spreadsheet not do as well?",
      answer:
        "It can, if you keep it up. Here the sums cannot be overwritten by accident, every line has a target and a stop loss, and the page works on a phone beside your broker's app.",
    },
  ],
};
