import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { pageToken, takeUrlToken } from "#lib/url-token.ts";

const KEY = "A".repeat(43);
let url: URL;

beforeEach(() => {
  vi.stubGlobal("window", {
    get location() {
      return url;
    },
    history: {
      state: null,
      replaceState: (_: unknown, __: string, path: string) => {
        url = new URL(path, url);
      },
    },
  });
});
afterEach(() => vi.unstubAllGlobals());

test("[C13] the key of an application is moved from the fragment into memory, in older links from the path", () => {
  for (const [path, key] of [
    [`/application#${KEY}`, KEY],
    [`/application/#${KEY.replaceAll("A", "B")}`, KEY.replaceAll("A", "B")],
    [`/application/${KEY}`, KEY],
    [`/application/${KEY}/`, KEY],
  ] as const) {
    url = new URL(path, "https://tradebahi.example");
    expect(takeUrlToken()).toBe("");
    expect(pageToken()).toBe(key);
    expect(url.href).toBe("https://tradebahi.example/application");
  }
});

test("[C13] other fragments and pages are left alone", () => {
  for (const path of ["/application#content", "/application", `/careers#${KEY}`]) {
    url = new URL(path, "https://tradebahi.example");
    expect(takeUrlToken()).toBe("");
    expect(url.pathname + url.hash).toBe(path);
  }
});
