import { expect, it } from "vitest";
import { plainNumber } from "#lib/typed-number.ts";

it.each([
  ["1,23,456.50", "123456.50"],
  ["123,456.50", "123456.50"],
  ["₹1,23,45,678", "12345678"],
  [" ₹ 12,345,678.9 ", "12345678.9"],
  ["₹142.35", "142.35"],
  ["1,000", "1000"],
  ["142.35", "142.35"],
  ["", ""],
])("reads %o as %o", (text, figures) => expect(plainNumber(text)).toBe(figures));

it.each([
  ["1,2", "1,2"],
  ["142,35", "142,35"],
  ["1,23,45", "1,23,45"],
  ["1234,567", "1234,567"],
  [",123", ",123"],
  ["1,,234", "1,,234"],
  ["1,234.5,6", "1,234.5,6"],
  ["$1,234", "$1,234"],
  ["₹₹5", "₹5"],
  ["-1,234", "-1,234"],
  ["12 lakh", "12 lakh"],
])("leaves %o for the check of the field", (text, left) => expect(plainNumber(text)).toBe(left));
