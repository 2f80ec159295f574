import { expect, test } from "vitest";
import { strategyChoice } from "#features/trader-journal/attach-choices.ts";

const CONDOR = {
  id: "0123456789abcdef0123",
  underlying: "NIFTY",
  state: "closed",
  openedAt: "2026-11-12T05:02:00Z",
  closedAt: "2026-11-20T09:28:00Z",
  net: 8_025,
  legs: [{}, {}, {}, {}],
} as const;

test("a closed strategy is offered with its days, legs and result", () => {
  const { label, subject } = strategyChoice(CONDOR);
  expect(label).toBe("NIFTY strategy, 12 to 20 Nov 2026, 4 legs, +\u2060₹8,025.00");
  expect(subject).toMatchObject({ kind: "strategy", key: CONDOR.id, day: "2026-11-12" });
});

test("an open strategy has no result, and the name by the trader is used", () => {
  const open = { ...CONDOR, state: "open", closedAt: null, name: "Budget week", legs: [{}] } as const;
  expect(strategyChoice(open).label).toBe("Budget week, from 12 Nov 2026, 1 leg");
});
