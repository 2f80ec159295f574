import { expect, test } from "vitest";
import { openAnalytics } from "./open-analytics.ts";

test("[5X-08] [8E-20] without a session the way to the analytics misses its auth data", async () => {
  expect(await openAnalytics()).toBe("Missing auth data");
});
