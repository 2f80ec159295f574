import { expect, it } from "vitest";
import { refused } from "#features/entry/entry-failure.ts";

const problem = {
  type: "about:blank",
  title: "",
  status: 507,
  detail: "There is no room.",
  instance: "r1",
  code: "store_full",
};

it("knows that a server without room has stored nothing", () => {
  expect(refused(problem, "buy", undefined).text).toBe("There is no room. Nothing was stored.");
  expect(refused(problem, "sell", undefined).text).toContain("The buy is stored, the sell is not.");
});
