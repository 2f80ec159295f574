/** Name of a drawing in `feature-drawing.tsx`. */
export type Drawing = "curve" | "finding" | "sync" | "candles" | "thread" | "hours" | "limit" | "mood";

/** The planned features on the home page; the titles are fixed by the specification. */
export const FEATURES: readonly { title: string; text: string; drawing: Drawing }[] = [
  {
    title: "Real-time analytics",
    text: "Net P&L, win rate and drawdown, updated after each entry.",
    drawing: "curve",
  },
  {
    title: "AI-powered insights",
    text: "Habits found in your own trades, each with the trades that prove it.",
    drawing: "finding",
  },
  {
    title: "Auto-sync with brokers",
    text: "Trades arrive automatically, without a file to download.",
    drawing: "sync",
  },
  {
    title: "Strategy backtesting",
    text: "Test a rule on your past trades before you risk money on it.",
    drawing: "candles",
  },
  {
    title: "Community forum",
    text: "Ask other traders who keep a journal. No tips, no calls.",
    drawing: "thread",
  },
  {
    title: "Performance by day and time",
    text: "The hours of your week in which you make money, and those in which you lose it.",
    drawing: "hours",
  },
  {
    title: "Risk management tools",
    text: "Set a limit per trade and per day, and see what breaking it has cost.",
    drawing: "limit",
  },
  {
    title: "Trading psychology",
    text: "Your mood at each trade, and how it affected the result.",
    drawing: "mood",
  },
];

/** Cards of the carousel in the hero, in order. */
export const HIGHLIGHTS = [
  {
    id: "file",
    title: "What an import did",
    text: "After each import you see which trades are new, which you already had, and which rows were skipped.",
  },
  {
    id: "overlap",
    title: "Files may overlap",
    text: "Upload April to June after April to May. Only June is added; no trade counts twice.",
  },
  {
    id: "reason",
    title: "No row is lost silently",
    text: "A row that cannot be read is listed with its cell and the reason. The other rows are imported.",
  },
  {
    id: "notes",
    title: "Why, not only what",
    text: "A note, your mood and your view of the market beside each trade, while you still remember.",
  },
  {
    id: "undo",
    title: "Undo a wrong file",
    text: "You can undo the changes of a book for 30 days, the newest first. Nothing else changes.",
  },
] as const;
