import { expect, test } from "vitest";
import { openAnalytics } from "./open-analytics.ts";

test("[5X-08] [8E-20] opening the analytics without a session reports missing auth data", async () => {
  expect(await openAnalytics()).toBe("Missing auth data");
});
