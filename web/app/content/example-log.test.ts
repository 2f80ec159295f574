import { expect, test } from "vitest";
import { EXAMPLE_LOG, grossResult } from "./example-log.ts";

test("the total of the example log matches its trades", () => {
  expect(grossResult(EXAMPLE_LOG.trades)).toBe(4896);
});
