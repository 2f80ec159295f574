/** The example log on the home page. Dates are fixed texts: the build and the browser must render the same. */
export const EXAMPLE_LOG = {
  updated: "Updated 2:41 pm",
  trades: [
    {
      side: "sell",
      symbol: "HDFCBANK",
      quantity: 150,
      price: 1978.4,
      at: "6 Jun 2025, 2:41 pm",
      broker: "Zerodha",
    },
    {
      side: "buy",
      symbol: "HDFCBANK",
      quantity: 150,
      price: 1951.25,
      at: "6 Jun 2025, 9:52 am",
      broker: "Zerodha",
    },
    {
      side: "sell",
      symbol: "RELIANCE",
      quantity: 120,
      price: 1440.85,
      at: "5 Jun 2025, 1:47 pm",
      broker: "Groww",
    },
    {
      side: "sell",
      symbol: "NIFTY 5 Jun 2025 24,750 PE",
      quantity: 150,
      price: 31.25,
      at: "5 Jun 2025, 9:52 am",
      broker: "Zerodha",
    },
    {
      side: "buy",
      symbol: "NIFTY 5 Jun 2025 24,750 PE",
      quantity: 150,
      price: 48.6,
      at: "5 Jun 2025, 9:19 am",
      broker: "Zerodha",
    },
    {
      side: "buy",
      symbol: "RELIANCE",
      quantity: 120,
      price: 1421.3,
      at: "4 Jun 2025, 11:18 am",
      broker: "Groww",
    },
    {
      side: "buy",
      symbol: "TATASTEEL",
      quantity: 800,
      price: 158.05,
      at: "4 Jun 2025, 11:18 am",
      broker: "Zerodha",
    },
    {
      side: "sell",
      symbol: "TATASTEEL",
      quantity: 800,
      price: 159.4,
      at: "4 Jun 2025, 9:19 am",
      broker: "Zerodha",
    },
  ],
} as const;

/** Sums the trades in whole 1/10,000 rupees, so that the total matches the rows to the paisa. */
export function grossResult(
  trades: readonly { side: "buy" | "sell"; quantity: number; price: number }[],
): number {
  const units = trades.reduce((sum, { side, quantity, price }) => {
    const value = Math.round(price * 10_000) * quantity;
    return side === "sell" ? sum + value : sum - value;
  }, 0);
  return units / 10_000;
}
