import { expect, it } from "vitest";
import { accountLabel } from "#lib/broker-accounts.ts";

const own = {
  broker: "zerodha",
  brokerAccount: 1,
  holder: "Asha Rao",
  clientCode: "AB••34",
  trades: 5,
  settings: { plan: "standard", womanFirstHolder: false },
} as const;
const other = {
  broker: "groww",
  brokerAccount: 1,
  holder: "ASHA  RAO",
  trades: 5,
  settings: { plan: "standard", womanFirstHolder: false },
} as const;
const mother = {
  broker: "zerodha",
  brokerAccount: 2,
  label: "Mother",
  holder: "Lata Rao",
  trades: 5,
  settings: { plan: "standard", womanFirstHolder: false },
} as const;

it("names an account by the trader's name, else by its broker, with the client code", () => {
  expect([own, other, mother].map(accountLabel)).toEqual(["Zerodha (AB••34)", "Groww", "Mother"]);
});
