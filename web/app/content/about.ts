import { SITE } from "#content/site.ts";

export const STORY = [
  "In July 2023 Ananya sat down to file her tax return. She had traded for eleven years and held accounts with two brokers, and she could not say what she had earned. One broker gave her a tradebook, the other an order history. The columns had other names, the times were written differently, and where the months overlapped, both files had the same trades. It took her nine evenings.",
  "On the tenth she looked at what she had: a single sheet with every trade of the year, in order. It told her more than the tax form asked for. Her profits in the morning had paid for her losses in the afternoon. The trades she was most sure of had lost the most.",
  "Her grandfather had a cloth shop in Kolhapur, and a bahi: the red cloth-bound book in which he wrote every sale and every debt on the day it happened, never in pencil. He needed no analysis to know how the shop was doing. He read the book.",
  "Farhan, who had built settlement systems for a living, saw the sheet and asked one question: what does it do with a row that it cannot read? It had silently dropped forty of them. They started again that week. First the record has to be right: no trade twice, none missing, and every skipped row listed with the reason. Analysis comes after that.",
  `That is ${SITE.name}. A bahi for people who trade.`,
] as const;

/** The four company values; their titles are fixed by the specification. */
export const VALUES = [
  {
    title: "Innovation",
    text: "We use new technology where it helps and keep what works. A 400-year-old idea, the account book, can still learn to read a spreadsheet.",
  },
  {
    title: "Customer Satisfaction",
    text: "You can leave with all of your data on any day, in a file that other programs can read. So we have to give you a reason to stay.",
  },
  {
    title: "Integrity",
    text: "We tell you what we cannot read, what we do not know and what is not finished. We do not sell tips, and we do not sell your data.",
  },
  {
    title: "Excellence",
    text: "A rupee that does not tally is an error, however small. We search until we find it.",
  },
] as const;

/** Founders of the company, for the page about it. Example values: replace them with your own. */
export const FOUNDERS = [
  {
    name: "Ananya Deshpande",
    role: "CEO",
    before: "Eleven years of her own F&O trading, four of them on a proprietary desk in Mumbai.",
    now: "Answers support email on Mondays, and decides what we build next.",
  },
  {
    name: "Farhan Qureshi",
    role: "CTO",
    before: "Built settlement systems, where one rupee that does not tally stops the day.",
    now: "Reads every strange file that a broker makes, and writes the test before the fix.",
  },
] as const;
