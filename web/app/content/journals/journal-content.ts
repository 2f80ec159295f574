import type { JournalLink } from "#content/journals/links.ts";

/** An example trade. Its P&L is calculated where it is shown. */
export type Example = {
  quantity: number;
  buyPrice: number;
  sellPrice: number;
  /** The plan and the outcome. */
  story: string;
  /** Charges, taxes and the lesson of the trade. */
  after: string;
};

/** A question of the FAQ section, shown on the page and in its structured data. */
export type Question = { question: string; answer: string };

/** Texts of one journal page. They differ between pages, so that no page duplicates another. */
export type JournalContent = JournalLink & {
  /** Date of the last change, for the sitemap. */
  updated: string;
  /** At most 155 characters. */
  description: string;
  /** The line under the heading. */
  lead: string;
  why: readonly string[];
  example: Example;
  questions: readonly Question[];
};
