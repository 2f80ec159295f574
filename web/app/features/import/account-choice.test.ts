import { expect, test } from "vitest";
import { isOtherPerson, possibleAccounts } from "#features/import/account-choice.tsx";
import { aPreview } from "#features/import/preview-fixture.ts";
import type { Schemas } from "#lib/api.ts";

const settings = { plan: "standard", womanFirstHolder: false };
const own: Schemas["BrokerAccount"] = {
  broker: "zerodha",
  brokerAccount: 1,
  holder: "Asha Rao",
  clientCode: "AB••34",
  trades: 5,
  settings,
};
const mother: Schemas["BrokerAccount"] = {
  broker: "zerodha",
  brokerAccount: 2,
  label: "Mother",
  trades: 5,
  settings,
};
const groww: Schemas["BrokerAccount"] = { broker: "groww", brokerAccount: 1, trades: 5, settings };

test("a file without a client code can belong to each account with its broker", () => {
  expect(possibleAccounts(aPreview, [own, mother, groww])).toEqual([own, mother]);
});

test("a file with a new client code cannot belong to an account with another one", () => {
  const file = { ...aPreview, clientCode: "CD••78", accountMatch: "otherCodes" as const, brokerAccount: 3 };
  expect(possibleAccounts(file, [own, mother, groww])).toEqual([mother]);
});

test("a known client code leaves no choice", () => {
  const file = { ...aPreview, clientCode: "AB••34", accountMatch: "known" as const };
  expect(possibleAccounts(file, [own, mother])).toEqual([]);
});

test("warns only if both names are known and differ", () => {
  expect(isOtherPerson({ ...aPreview, holder: "ASHA  RAO" }, own)).toBe(false);
  expect(isOtherPerson({ ...aPreview, holder: "Lata Rao" }, own)).toBe(true);
  expect(isOtherPerson({ ...aPreview, holder: "Lata Rao" }, mother)).toBe(false);
  expect(isOtherPerson(aPreview, own)).toBe(false);
});
