import { expect, it } from "vitest";
import routes from "../../routes.ts";
import { isDeskPage, parsePanel } from "./panel.ts";

it.each([
  ["", undefined],
  ["panel=0", 0],
  ["panel=1", 1],
  ["panel=1&q=M%26M", 1],
  ["panel=2", 2],
  ["panel=3", 3],
  ["panel=4", undefined],
  ["panel=", undefined],
  ["panel=01", undefined],
  ["panel=x", undefined],
])("[2D-04] [2D-05] %j opens panel %j", (search, panel) => {
  expect(parsePanel(new URLSearchParams(search))).toBe(panel);
});

it("isDeskPage is true for the pages of the desk layout only, with or without a trailing slash", () => {
  for (const { file, children = [] } of routes) {
    const desk = file === "routes/desk/layout.tsx";
    for (const { path: pattern = "" } of children) {
      const path = pattern
        .replace(":page?", "positions")
        .replace(":id?", "0a")
        .replace(":day?", "2026-11-20");
      expect(isDeskPage(`/${path}`), path).toBe(desk);
      expect(isDeskPage(`/${path}/`), path).toBe(desk);
    }
  }
});
