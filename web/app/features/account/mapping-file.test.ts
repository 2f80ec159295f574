import { expect, test } from "vitest";
import { mappingFileName, parseMappingFile, toMappingFile } from "#features/account/mapping-file.ts";
import type { Schemas } from "#lib/api.ts";

const MAPPING: Schemas["ColumnMapping"] = {
  header: ["Scrip", "B/S"],
  broker: "zerodha",
  tradetype: "equity",
  columns: [{ column: 0, field: "symbol" }],
  monthFirst: false,
  quantityInLots: false,
};

test("a downloaded mapping can be read again", () => {
  const saved = { name: "orders.csv", mapping: MAPPING };
  expect(parseMappingFile(toMappingFile(saved))).toEqual(saved);
  expect(mappingFileName("orders.csv")).toBe("orders-columns.json");
});

test.each(["", "{}", "null", "[]", '{"kind":"other","version":1,"mapping":{}}', "not JSON"])(
  "rejects %s",
  (text) => {
    expect(parseMappingFile(text)).toBeUndefined();
  },
);
