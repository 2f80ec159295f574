import { describe, expect, it } from "vitest";
import { toCsv } from "#lib/csv.ts";

describe("toCsv", () => {
  it.each([
    ["plain", "plain"],
    ["1,948.30", '"1,948.30"'],
    ['say "hi"', '"say ""hi"""'],
    ["two\nlines", '"two\nlines"'],
    ["", ""],
  ])("writes %j as %j", (text, field) => {
    expect(toCsv([[text]])).toBe(`${field}\r\n`);
  });

  it.each([
    ["=1+1", "'=1+1"],
    ["+91", "'+91"],
    ["-50", "'-50"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\tx", "'\tx"],
    ["\rx", '"\'\rx"'],
    ["\nx", '"\'\nx"'],
    ["\0x", "'\0x"],
    ["\uff1d1", "'\uff1d1"],
    ["\uff0b1", "'\uff0b1"],
    ["\uff0d1", "'\uff0d1"],
    ["\uff20x", "'\uff20x"],
  ])("escapes the formula %j", (text, field) => {
    expect(toCsv([[text]])).toBe(`${field}\r\n`);
  });

  it("keeps numbers and ends every line with CR LF", () => {
    expect(
      toCsv([
        ["Row", "Value"],
        [-5, "x"],
      ]),
    ).toBe("Row,Value\r\n-5,x\r\n");
  });
});
