import { SITE } from "#content/site.ts";

export const STORY = [
  "In July 2023 Ananya sat down to file her tax return. She had traded for eleven years and held accounts with two brokers, and she could not say what she had earned. One broker gave her a tradebook, the other an order history. The columns had other names, the times came in other forms, and where the months overlapped the same trades stood in both files. It took her nine evenings.",
  "On the tenth she looked at what she had: a single sheet with every trade of the year, in order. It answered more than the tax form asked. Her mornings had paid for her afternoons. The trades that she was sure of had cost most.",
  "Her grandfather had a cloth shop in Kolhapur, and a bahi: the red cloth-bound book into which every sale and every debt went on the day that it happened, never in pencil. He needed no analysis to know how the shop stood. He read the book.",
  "Farhan, who had made settlement systems for a living, saw the sheet and asked one question: what does it do with a row that it cannot read? It had quietly dropped forty of them. They began anew that week, from the other end. First the record has to be right: no trade twice, none missing, and every row that is left out named with the reason. Only then may it answer.",
  `That is ${SITE.name}. A bahi for people who trade.`,
] as const;

/** The four of them, by the letter. */
export const VALUES = [
  {
    title: "Innovation",
    text: "New where it helps, old where it holds. A book that is 400 years old as an idea can still learn to read a spreadsheet.",
  },
  {
    title: "Customer Satisfaction",
    text: "You can leave with all of your data on any day, in a file that others can read. So we have to be worth staying for.",
  },
  {
    title: "Integrity",
    text: "We say what we cannot read, what we do not know and what is not finished. We sell no tips, and nothing about you.",
  },
  {
    title: "Excellence",
    text: "A rupee that does not tally is a fault, however small. We look for it until it is found.",
  },
] as const;
