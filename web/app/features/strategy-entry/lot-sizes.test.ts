import { beforeEach, expect, it, vi } from "vitest";
import { readLotSize, saveLotSize } from "./lot-sizes.ts";

const stored = new Map<string, string>();

beforeEach(() => {
  stored.clear();
  const localStorage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  };
  vi.stubGlobal("window", { localStorage });
});

it("remembers the lot size of each underlying for one account", () => {
  saveLotSize("a@example.com", "NIFTY", " 65 ");
  saveLotSize("a@example.com", "SENSEX", "20");
  saveLotSize("a@example.com", "SENSEX", "");
  expect(readLotSize("a@example.com", "NIFTY")).toBe("65");
  expect(readLotSize("a@example.com", "SENSEX")).toBe("20");
  expect(readLotSize("a@example.com", "TCS")).toBe("");
  expect(readLotSize("b@example.com", "NIFTY")).toBe("");
  saveLotSize("b@example.com", "TCS", "175");
  expect(readLotSize("a@example.com", "NIFTY")).toBe("");
});

it.each(["{", "[]", '{"email":"a@example.com","sizes":{"NIFTY":65}}'])(
  "ignores the stored text %s",
  (text) => {
    stored.set("lotSizes", text);
    expect(readLotSize("a@example.com", "NIFTY")).toBe("");
  },
);

it("reads no inherited property as a lot size", () => {
  expect(readLotSize("a@example.com", "constructor")).toBe("");
});
