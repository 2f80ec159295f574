import { afterEach, describe, expect, test, vi } from "vitest";
import { forgetSession, getSession, onAccountChange, signIn } from "./session-store.ts";

function jwt(claims: object): string {
  return `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c2ln`;
}

const ASHA = jwt({ name: "Asha Rao", email: "asha@example.in" });

afterEach(() => forgetSession());

describe("[3U-02] [3U-03] without a session", () => {
  test("the user is Trader, and the token is empty", () => {
    expect(getSession()).toEqual({ token: "", user: { name: "Trader", email: "" } });
  });

  test("a token names the user, until it is forgotten", () => {
    expect(signIn(ASHA)).toBe(true);
    expect(getSession()).toEqual({ token: ASHA, user: { name: "Asha Rao", email: "asha@example.in" } });
    forgetSession();
    expect(getSession()).toEqual({ token: "", user: { name: "Trader", email: "" } });
  });

  test("a token that names nobody changes nothing, and is logged", () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    expect(signIn(jwt({ name: "Asha" }))).toBe(false);
    expect(getSession().token).toBe("");
    expect(log).toHaveBeenCalledOnce();
  });
});

test("who holds an account's data is told when another one is signed in, and not for a new token", () => {
  const told = vi.fn();
  const stop = onAccountChange(told);
  signIn(ASHA);
  signIn(jwt({ name: "Asha Raman", email: "asha@example.in" }));
  expect(told).toHaveBeenCalledTimes(1);
  signIn(jwt({ name: "Ravi", email: "ravi@example.in" }));
  expect(told).toHaveBeenCalledTimes(2);
  stop();
});
