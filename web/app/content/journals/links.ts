/** A public journal: its address, and the keyword in it, which is also its name. */
export type JournalLink = { path: string; keyword: string };

/** The eight keyword journals, which every journal page leads to. `/trading-journal` is the ninth, without a keyword. */
export const KEYWORD_JOURNALS: readonly JournalLink[] = [
  { path: "/stock-market-trading-journal", keyword: "Stock Market Trading" },
  { path: "/free-trading-journal", keyword: "Free Trading" },
  { path: "/ai-trading-journal", keyword: "AI Trading" },
  { path: "/indian-stock-market-trading-journal", keyword: "Indian Stock Market Trading" },
  { path: "/nse-trading-journal", keyword: "NSE Trading" },
  { path: "/bse-trading-journal", keyword: "BSE Trading" },
  { path: "/crypto-trading-journal", keyword: "Crypto Trading" },
  { path: "/forex-trading-journal", keyword: "Forex Trading" },
];

export function journalName({ keyword }: Pick<JournalLink, "keyword">): string {
  return `${keyword} Journal`;
}
