/** The example on the home page. Dates are written out: build and browser must print the same. */
export const EXAMPLE_LOG = {
  written: "Written 2:41 pm",
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
      at: "6 Jun 2025, 10:04 am",
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
      symbol: "NIFTY2560524750PE",
      quantity: 150,
      price: 31.25,
      at: "5 Jun 2025, 9:52 am",
      broker: "Zerodha",
    },
    {
      side: "buy",
      symbol: "NIFTY2560524750PE",
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
      at: "4 Jun 2025, 10:48 am",
      broker: "Zerodha",
    },
    {
      side: "sell",
      symbol: "TATASTEEL",
      quantity: 800,
      price: 159.4,
      at: "4 Jun 2025, 9:31 am",
      broker: "Zerodha",
    },
  ],
} as const;

/** In whole 1/10,000 rupees, so that the total agrees with the lines above it to the last paisa. */
export function grossResult(
  trades: readonly { side: "buy" | "sell"; quantity: number; price: number }[],
): number {
  const units = trades.reduce((sum, { side, quantity, price }) => {
    const value = Math.round(price * 10_000) * quantity;
    return side === "sell" ? sum + value : sum - value;
  }, 0);
  return units / 10_000;
}
