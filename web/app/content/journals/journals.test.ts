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
import { inr } from "#lib/format.ts";

const JOURNALS = [STOCK_MARKET, FREE, AI, INDIAN_STOCK_MARKET, NSE, BSE, CRYPTO, FOREX];
const ALL = [TRADING, ...JOURNALS];

/** The rupees that a sentence names, without paise. */
function rupees(text: string): number[] {
  return Array.from(text.matchAll(/₹([\d,]+(?:\.\d+)?)/g), ([, figure = ""]) =>
    Number(figure.replaceAll(",", "")),
  );
}

test("[9C-04] the eight keywords are those of the pages, in their order", () => {
  expect(KEYWORD_JOURNALS).toEqual(JOURNALS.map(({ path, keyword }) => ({ path, keyword })));
});

test("no question is asked on two pages", () => {
  const questions = ALL.flatMap((words) => words.questions.map(({ question }) => question));
  expect(new Set(questions).size).toBe(questions.length);
});

describe.each(ALL)("$path", (words) => {
  test("[2K-07] has the keyword of its path as its name", () => {
    expect(`/${journalName(words).toLowerCase().replaceAll(" ", "-")}`).toBe(words.path);
  });

  test("has five or six questions, and a description that fits", () => {
    expect([5, 6]).toContain(words.questions.length);
    expect(words.description.length).toBeGreaterThan(50);
    expect(words.description.length).toBeLessThanOrEqual(155);
  });

  test("has an example that adds up", () => {
    const { quantity, buyPrice, sellPrice, story } = words.example;
    const [buy, target = 0, stop = 0, risk, reward, sold] = inOrder(story);
    expect([buy, sold]).toEqual([buyPrice, sellPrice]);
    expect(inr(risk ?? 0)).toBe(inr((buyPrice - stop) * quantity));
    expect(inr(reward ?? 0)).toBe(inr((target - buyPrice) * quantity));
  });
});

/** Every story names the buy, the target, the stop, the risk, the reward and the sale, in this order. */
function inOrder(story: string): number[] {
  const figures = rupees(story);
  expect(figures).toHaveLength(6);
  return figures;
}
