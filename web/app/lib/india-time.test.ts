import { expect, it } from "vitest";
import { fromTimeField, toTimeField } from "#lib/india-time.ts";

it.each([
  ["2025-06-20T09:17:05Z", "second", "2025-06-20T14:47:05"],
  ["2025-06-20T09:17:05Z", "minute", "2025-06-20T14:47"],
  ["2025-06-19T18:30:00Z", "day", "2025-06-20T00:00"],
  ["2025-06-20T14:47:00+05:30", "minute", "2025-06-20T14:47"],
] as const)("%s with precision %s becomes %s", (iso, precision, field) => {
  expect(toTimeField(iso, precision)).toBe(field);
});

it.each([
  ["2025-06-20T14:47", "2025-06-20T14:47:00+05:30"],
  ["2025-06-20T14:47:05", "2025-06-20T14:47:05+05:30"],
  ["2025-06-20T14:47:05.000", "2025-06-20T14:47:05+05:30"],
  ["", ""],
  ["2025-06-20", ""],
])("field value %j becomes %j", (field, iso) => {
  expect(fromTimeField(field)).toBe(iso);
});
