import { expect, it } from "vitest";
import { TERMS } from "#features/analytics/figures/how-calculated.tsx";

const text = (name: string) => TERMS.find(({ term }) => term === name)?.text;

it("[T5] explains that the largest entry value is neither margin nor capital", () => {
  expect(text("Largest entry value at a time")).toContain(
    "For a short option it is the premium you received, for a future the contract value. It is neither the margin your broker asked for nor your capital.",
  );
});

it("[T15] explains what rates count, after charges", () => {
  expect(text("Closed trade")).toContain("One closing order");
  expect(text("Position")).toContain("from flat to flat");
  expect(text("Strategy")).toContain("Positions outside of strategies count one each.");
  expect(text("Win rate")).toContain(
    "Share of positions, closed trades or strategies with a profit after charges",
  );
});
