/** The drawing of a feature, by its name in `feature-drawing.tsx`. */
export type Drawing = "curve" | "finding" | "sync" | "candles" | "thread" | "hours" | "limit" | "mood";

/** What the book is to answer next: where it begins to already, what goes beyond. */
export const FEATURES: readonly { title: string; text: string; drawing: Drawing }[] = [
  {
    title: "Real-time analytics",
    text: "Net P&L, win rate and drawdown, worked out anew after each entry.",
    drawing: "curve",
  },
  {
    title: "AI-powered insights",
    text: "Habits found in your own trades, each with the trades that prove it.",
    drawing: "finding",
  },
  {
    title: "Auto-sync with brokers",
    text: "Fills that come in by themselves, without a file to download.",
    drawing: "sync",
  },
  {
    title: "Strategy backtesting",
    text: "Try a rule on your own past before you pay for it.",
    drawing: "candles",
  },
  {
    title: "Community forum",
    text: "Ask traders who keep a record too. No tips, no calls.",
    drawing: "thread",
  },
  {
    title: "Performance by day and time",
    text: "The hours of your week that pay, and the ones that cost.",
    drawing: "hours",
  },
  {
    title: "Risk management tools",
    text: "A limit for a trade and for a day, and what breaking it has cost.",
    drawing: "limit",
  },
  {
    title: "Trading psychology",
    text: "Your mood beside the fill, and what it did to the result.",
    drawing: "mood",
  },
];

/** What the cards in the hero show, one after the other. */
export const HIGHLIGHTS = [
  {
    id: "file",
    title: "What the file held",
    text: "After each import: what is new, what was there already, and what was left out.",
  },
  {
    id: "overlap",
    title: "Files may overlap",
    text: "Upload April to June after April to May. Only June goes in; no trade counts twice.",
  },
  {
    id: "reason",
    title: "Nothing goes missing quietly",
    text: "A row that cannot be read is named with its cell and the reason. The rest goes in.",
  },
  {
    id: "notes",
    title: "Why, not only what",
    text: "A note, your mood and your view of the market beside each trade, while you still remember.",
  },
  {
    id: "undo",
    title: "A wrong file can be taken back",
    text: "For 30 days you can undo the changes of a book, the newest first. Nothing else is touched.",
  },
] as const;
