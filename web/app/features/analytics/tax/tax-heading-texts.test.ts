import { expect, it } from "vitest";
import { packAccounts, packNames } from "#features/analytics/tax/tax-heading-texts.ts";

const first = { broker: "zerodha", brokerAccount: 1, clientCode: "AB••34" } as const;
const second = { broker: "zerodha", brokerAccount: 2 } as const;

it("names the holders, or the login if none is known", () => {
  expect(packNames([first, second], "Login")).toBe("Login");
  const own = { ...first, holder: "Ravi Kumar" };
  expect(packNames([own, { ...second, holder: "ravi  kumar" }], "Login")).toBe("Ravi Kumar");
  expect(packNames([own, { ...second, holder: "Asha Rao" }], "Login")).toBe("Ravi Kumar, Asha Rao");
});

it("lists the accounts with masked codes, and the holders of several people", () => {
  expect(packAccounts([first, second])).toBe("Zerodha (AB••34), Zerodha 2");
  expect(
    packAccounts([
      { ...first, holder: "Ravi Kumar" },
      { ...second, holder: "Asha Rao" },
    ]),
  ).toBe("Zerodha (AB••34), Ravi Kumar; Zerodha 2, Asha Rao");
});
