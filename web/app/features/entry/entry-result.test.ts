import { expect, it } from "vitest";
import { entryResult } from "./entry-result.ts";

it.each([
  ["100", "101.5", "10", 15],
  ["101.5", "100", "10", -15],
  ["0.1", "0.3", "3", 0.6],
  ["1421.3001", "1421.3002", "1", 0.0001],
  [".5", "1.", "2", 1],
  ["99999999999.9999", "0.0001", "1", -99999999999.9998],
  ["420", "420", "5", 0],
])(
  "calculates the result of a buy at %s and a sell at %s of %s units: %d",
  (buyPrice, sellPrice, quantity, result) => {
    expect(entryResult({ buyPrice, sellPrice, quantity })).toBe(result);
  },
);

it.each([
  ["", "1", "1"],
  ["1", "", "1"],
  ["1", "1", ""],
  [".", "1", "1"],
  ["1.00001", "1", "1"],
  ["1e3", "1", "1"],
  ["1", "1", "1.5"],
  ["-1", "1", "1"],
])("returns no result for %j, %j and %j", (buyPrice, sellPrice, quantity) => {
  expect(entryResult({ buyPrice, sellPrice, quantity })).toBeUndefined();
});
