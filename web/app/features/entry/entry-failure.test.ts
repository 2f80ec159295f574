import { expect, it } from "vitest";
import { rejectedFailure } from "#features/entry/entry-failure.ts";

const problem = {
  type: "about:blank",
  title: "",
  status: 507,
  detail: "There is no room.",
  instance: "r1",
  code: "storage_full",
};

it("states that nothing was saved if the server's storage is full", () => {
  expect(rejectedFailure(problem, ["buy"], undefined).text).toBe("There is no room. Nothing was saved.");
  expect(rejectedFailure(problem, ["sell"], undefined, true).text).toContain(
    "The buy is saved, the sell is not.",
  );
});
