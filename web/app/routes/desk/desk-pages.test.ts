import { expect, it } from "vitest";
import routes from "../../routes.ts";
import { isDeskPage } from "./desk-pages.ts";

it("knows the pages of the desk, with and without a slash, and no other", () => {
  for (const { file, children = [] } of routes) {
    const desk = file === "routes/desk/layout.tsx";
    for (const { path = "" } of children) {
      expect(isDeskPage(`/${path}`), path).toBe(desk);
      expect(isDeskPage(`/${path}/`), path).toBe(desk);
    }
  }
});
