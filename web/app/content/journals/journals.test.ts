import { describe, expect, test } from "vitest";
import { AI } from "#content/journals/ai.ts";
import { BSE } from "#content/journals/bse.ts";
import { CRYPTO } from "#content/journals/crypto.ts";
import { FOREX } from "#content/journals/forex.ts";
import { FREE } from "#content/journals/free.ts";
import { INDIAN_STOCK_MARKET } from "#content/journals/indian-stock-market.ts";
import { journalName, KEYWORD_JOURNALS } from "#content/journals/links.ts";
import { NSE } from "#content/journals/nse.ts";
import { STOCK_MARKET } from "#content/journals/stock-market.ts";
import { TRADING } from "#content/journals/trading.ts";

const JOURNALS = [STOCK_MARKET, FREE, AI, INDIAN_STOCK_MARKET, NSE, BSE, CRYPTO, FOREX];
const ALL = [TRADING, ...JOURNALS];

/** Returns the rupee amounts of a sentence in order. */
function rupees(text: string): number[] {
  return Array.from(text.matchAll(/₹([\d,]+(?:\.\d+)?)/g), ([, figure = ""]) =>
    Number(figure.replaceAll(",", "")),
  );
}

test("[9C-04] the eight keywords match the pages and their order", () => {
  expect(KEYWORD_JOURNALS).toEqual(JOURNALS.map(({ path, keyword }) => ({ path, keyword })));
});

test("no question is asked on two pages", () => {
  const questions = ALL.flatMap((journal) => journal.questions.map(({ question }) => question));
  expect(new Set(questions).size).toBe(questions.length);
});

describe.each(ALL)("$path", (journal) => {
  test("[2K-07] has the keyword of its path as its name", () => {
    expect(`/${journalName(journal).toLowerCase().replaceAll(" ", "-")}`).toBe(journal.path);
  });

  test("has five or six questions, and a description that fits", () => {
    expect([5, 6]).toContain(journal.questions.length);
    expect(journal.description.length).toBeGreaterThan(50);
    expect(journal.description.length).toBeLessThanOrEqual(155);
  });

  test("has an example that adds up", () => {
    const { quantity, buyPrice, sellPrice, story } = journal.example;
    const [buy, target = 0, stop = 0, risk, reward, sold] = storyFigures(story);
    expect([buy, sold]).toEqual([buyPrice, sellPrice]);
    expect(risk).toBeCloseTo((buyPrice - stop) * quantity, 2);
    expect(reward).toBeCloseTo((target - buyPrice) * quantity, 2);
  });
});

/** Returns buy price, target, stop loss, risk, reward and sell price of a story, which states them in this order. */
function storyFigures(story: string): number[] {
  const figures = rupees(story);
  expect(figures).toHaveLength(6);
  return figures;
}
