import { describe, expect, test } from "vitest";
import {
  MAX_UPLOAD_BYTES,
  needsShrinking,
  pictureType,
  sizesToTry,
} from "#features/trader-journal/screenshots/picture-size.ts";

const ascii = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));

test.each([
  ["\x89PNG\r\n\x1a\n\0\0\0\r", "image/png"],
  ["\xff\xd8\xff\xe0\0\x10JFIF\0\x01", "image/jpeg"],
  ["RIFF\x24\0\0\0WEBP", "image/webp"],
  ["\0\0\0\x18ftypheic", undefined],
  ["GIF89a\x01\0\x01\0\0\0", undefined],
  ["RIFF\x24\0\0\0WAVE", undefined],
  ["Symbol,Date,", undefined],
  ["", undefined],
])("a file that begins with %j has the type %s", (head, type) => {
  expect(pictureType(ascii(head))).toBe(type);
});

describe("a picture is made smaller", () => {
  test.each([
    ["a screenshot", 400_000, 1_920, 1_080, false],
    ["a picture at both limits", MAX_UPLOAD_BYTES, 4_096, 4_096, false],
    ["a photo of 12 MB", 12_000_000, 4_000, 3_000, true],
    ["a picture with one byte too many", MAX_UPLOAD_BYTES + 1, 800, 600, true],
    ["a picture that is too wide", 400_000, 4_097, 300, true],
    ["a picture that is too high", 400_000, 1_080, 9_000, true],
  ])("%s", (_, bytes, width, height, expected) => {
    expect(needsShrinking(bytes, { width, height })).toBe(expected);
  });
});

describe("sizes to try", () => {
  test("a large picture keeps its proportions, at most 4,096 pixels per side", () => {
    expect(sizesToTry({ width: 8_192, height: 6_144 })).toEqual([
      { width: 4_096, height: 3_072 },
      { width: 3_072, height: 2_304 },
      { width: 2_048, height: 1_536 },
      { width: 1_024, height: 768 },
    ]);
  });

  test("a picture with few pixels and many bytes is first tried in its own size, and never made larger", () => {
    expect(sizesToTry({ width: 1_500, height: 2_000 })).toEqual([
      { width: 1_500, height: 2_000 },
      { width: 768, height: 1_024 },
    ]);
  });

  test("a line of pixels keeps a height of one", () => {
    expect(sizesToTry({ width: 50_000, height: 1 })[0]).toEqual({ width: 4_096, height: 1 });
  });
});
