import { describe, expect, test } from "vitest";
import {
  draftMistake,
  EMPTY_PRICE,
  planOptions,
  toBody,
  toDraft,
} from "#features/account/broker-account-form.ts";
import type { Schemas } from "#lib/api.ts";

const ACCOUNT: Schemas["BrokerAccount"] = {
  broker: "zerodha",
  brokerAccount: 2,
  label: "Mother",
  trades: 3,
  settings: {
    plan: "standard",
    womanFirstHolder: true,
    openedOn: "2024-04-01",
    brokerage: [
      { kind: "intraday", percent: 0.03, min: 2, max: 20 },
      { kind: "options", from: "2026-04-01", flat: 0 },
    ],
  },
};

describe("the draft of a broker account", () => {
  test("saves what it shows, and keeps the lower limit that it does not show", () => {
    expect(toBody(toDraft(ACCOUNT), ACCOUNT)).toEqual({
      label: "Mother",
      holder: "",
      settings: ACCOUNT.settings,
    });
  });

  test("names each broker's standard plan", () => {
    expect(planOptions("groww")).toEqual([{ value: "standard", label: "Groww standard" }]);
  });

  test.each([
    [{ closedOn: "2024-03-31" }, "closed before"],
    [{ brokerage: [EMPTY_PRICE] }, "Brokerage 1: enter either"],
    [{ brokerage: [{ ...EMPTY_PRICE, flat: "15", percent: "1" }] }, "either"],
    [{ brokerage: [{ ...EMPTY_PRICE, flat: "15", max: "20" }] }, "maximum"],
    [{ brokerage: [{ ...EMPTY_PRICE, flat: "ten" }] }, "numbers"],
    [{ brokerage: [{ ...EMPTY_PRICE, flat: "-1" }] }, "numbers"],
    [{ brokerage: [0, 1].map(() => ({ ...EMPTY_PRICE, flat: "15" })) }, "Brokerage 1"],
  ])("names the mistake in %j", (change, text) => {
    const mistake = draftMistake({ ...toDraft(ACCOUNT), ...change });
    expect(mistake).not.toBe("");
    if (!("brokerage" in change) || change.brokerage?.length === 1) expect(mistake).toContain(text);
  });

  test("accepts an amount of 0 and thousands separators", () => {
    const draft = { ...toDraft(ACCOUNT), brokerage: [{ ...EMPTY_PRICE, flat: "1,000.50" }] };
    expect(draftMistake(draft)).toBe("");
    expect(toBody(draft, ACCOUNT).settings.brokerage).toEqual([{ kind: "options", flat: 1000.5 }]);
  });
});
