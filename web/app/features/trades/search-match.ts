import { useMemo } from "react";
import type { Trade } from "#features/trades/trade-pages.ts";

/** Letters with their marks and digits, in a character class. */
const WORD_CHARS = "\\p{L}\\p{M}\\p{N}";
const MAX_EXCERPT_LENGTH = 160;

/** Returns the patterns of the words and tags of a search. The first group is the character before a word. */
export function searchPatterns(search: string): readonly RegExp[] {
  return search.split(/\s+/).flatMap((word) => {
    const tag = new RegExp(`^#+([${WORD_CHARS}_-]+)`, "u").exec(word)?.[1];
    if (tag) return new RegExp(`()#${tag}(?![${WORD_CHARS}_-])`, "iu");
    const parts = word.match(new RegExp(`[${WORD_CHARS}]+`, "gu"));
    if (!parts) return [];
    return new RegExp(`(^|[^${WORD_CHARS}])${parts.join(`[^${WORD_CHARS}]+`)}`, "iu");
  });
}

type Texts = Pick<Trade, "notes" | "psychology" | "marketOutlook" | "stockName">;

/** Returns the text of a trade from its first match on; undefined if only the symbol matches. */
export function findExcerpt(trade: Texts, patterns: readonly RegExp[]): string | undefined {
  for (const pattern of patterns) {
    for (const text of [trade.notes, trade.psychology, trade.marketOutlook, trade.stockName]) {
      const match = text && pattern.exec(text);
      if (!match) continue;
      // The word of a tag is shown with its #.
      const start = text.slice(0, match.index + (match[1]?.length ?? 0)).replace(/#+$/, "").length;
      const excerpt = text.slice(start, start + MAX_EXCERPT_LENGTH).replace(/\s+/g, " ");
      return start > 0 ? `… ${excerpt}` : excerpt;
    }
  }
  return undefined;
}

/** Returns the text of each trade in which a search was found. */
export function useExcerpts(trades: readonly Trade[], search: string): readonly (string | undefined)[] {
  return useMemo(() => {
    const patterns = searchPatterns(search);
    return trades.map((trade) => findExcerpt(trade, patterns));
  }, [trades, search]);
}
