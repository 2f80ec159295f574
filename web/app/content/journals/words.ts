import type { JournalLink } from "#content/journals/links.ts";
import type { Question } from "#lib/json-ld.ts";

/** One trade from its plan to its end. What it came to is worked out where it is shown. */
export type Example = {
  quantity: number;
  buyPrice: number;
  sellPrice: number;
  /** What was planned, and what happened. */
  story: string;
  /** What the exchange, the broker and the tax office take, and what the line teaches. */
  after: string;
};

/** The words of one journal page. Each page has its own, so that none of them is a copy. */
export type JournalWords = JournalLink & {
  /** The day of the last change, for the sitemap. */
  updated: string;
  /** At most 155 characters. */
  description: string;
  /** The line under the heading. */
  lead: string;
  why: readonly string[];
  example: Example;
  questions: readonly Question[];
};
