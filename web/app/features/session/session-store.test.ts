import { afterEach, describe, expect, test, vi } from "vitest";
import { clearSession, getSession, onAccountChange, startSession } from "./session-store.ts";

function jwt(claims: object): string {
  return `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c2ln`;
}

const ASHA = jwt({ name: "Asha Rao", email: "asha@example.in" });

afterEach(() => clearSession());

describe("[3U-02] [3U-03] without a session", () => {
  test("the user is Trader, and the token is empty", () => {
    expect(getSession()).toEqual({ token: "", user: { name: "Trader", email: "" } });
  });

  test("a token sets the user until the session is cleared", () => {
    expect(startSession(ASHA)).toBe(true);
    expect(getSession()).toEqual({ token: ASHA, user: { name: "Asha Rao", email: "asha@example.in" } });
    clearSession();
    expect(getSession()).toEqual({ token: "", user: { name: "Trader", email: "" } });
  });

  test("a token without a user changes nothing and is logged", () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    expect(startSession(jwt({ name: "Asha" }))).toBe(false);
    expect(getSession().token).toBe("");
    expect(log).toHaveBeenCalledOnce();
  });
});

test("listeners are called when another account logs in, not for a new token of the same account", () => {
  const listener = vi.fn();
  const unsubscribe = onAccountChange(listener);
  startSession(ASHA);
  startSession(jwt({ name: "Asha Raman", email: "asha@example.in" }));
  expect(listener).toHaveBeenCalledTimes(1);
  startSession(jwt({ name: "Ravi", email: "ravi@example.in" }));
  expect(listener).toHaveBeenCalledTimes(2);
  unsubscribe();
});

test("[S11] a page that the back button restores after a logout shows no account", async () => {
  const page = new EventTarget();
  const stored = new Map([["token", ASHA]]);
  const localStorage = { getItem: (key: string) => stored.get(key) ?? null };
  vi.stubGlobal("window", Object.assign(page, { localStorage }));
  vi.resetModules();
  const restored = await import("./session-store.ts");
  expect(restored.getSession().user.name).toBe("Asha Rao");
  const accountChanged = vi.fn();
  restored.onAccountChange(accountChanged);

  // The user logged out in a page that this tab opened later.
  stored.clear();
  page.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: false }));
  expect(restored.getSession().token).toBe(ASHA);
  page.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
  expect(restored.getSession()).toEqual({ token: "", user: { name: "Trader", email: "" } });
  expect(accountChanged).toHaveBeenCalledOnce();
  vi.unstubAllGlobals();
});
