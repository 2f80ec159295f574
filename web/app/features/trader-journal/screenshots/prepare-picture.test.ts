import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { preparePicture } from "#features/trader-journal/screenshots/prepare-picture.ts";

const PNG = "\x89PNG\r\n\x1a\n";
const HEIC = "\0\0\0\x18ftypheic";
const MB = 1_000_000;

/** File with these first bytes and this size. */
function fileOf(head: string, bytes: number, name = "photo.png"): File {
  const content = new Uint8Array(bytes);
  content.set(Buffer.from(head, "latin1"));
  return new File([content], name);
}

/** Canvas whose JPEG has one byte per three pixels. */
class FakeCanvas {
  readonly width: number;
  readonly height: number;
  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
  }
  getContext() {
    return { fillRect: () => undefined, drawImage: () => undefined };
  }
  async convertToBlob({ type }: { type: string }) {
    return new Blob([new Uint8Array(Math.ceil((this.width * this.height) / 3))], { type });
  }
}

const decode = vi.fn();
beforeEach(() => {
  vi.stubGlobal("createImageBitmap", decode);
  vi.stubGlobal("OffscreenCanvas", FakeCanvas);
  vi.spyOn(console, "warn").mockImplementation(() => {});
});
afterEach(() => vi.unstubAllGlobals());
const decodeAs = (width: number, height: number) =>
  decode.mockResolvedValueOnce({ width, height, close: () => undefined });

describe("a picture that the browser can decode", () => {
  test("is sent as it is if it is small enough", async () => {
    decodeAs(1_920, 1_080);
    const file = fileOf(PNG, MB);
    expect(await preparePicture(file)).toEqual({ kind: "ready", picture: file });
  });

  test("is made smaller until it has at most 5 MB", async () => {
    decodeAs(8_000, 8_000);
    const prepared = await preparePicture(fileOf(PNG, 12 * MB));
    // 4,096 × 4,096 would have 5.6 million bytes.
    expect(prepared).toMatchObject({ kind: "ready", picture: { name: "photo.jpg", type: "image/jpeg" } });
    expect(prepared.kind === "ready" && prepared.picture.size).toBe(Math.ceil(3_072 ** 2 / 3));
  });

  test("is decoded upright", async () => {
    decodeAs(100, 100);
    await preparePicture(fileOf(PNG, 100));
    expect(decode).toHaveBeenLastCalledWith(expect.anything(), { imageOrientation: "from-image" });
  });
});

describe("a picture that the browser cannot decode", () => {
  test("is sent as it is if the server accepts its size", async () => {
    decode.mockRejectedValueOnce(new DOMException("", "InvalidStateError"));
    const file = fileOf(PNG, 5 * MB);
    expect(await preparePicture(file)).toEqual({ kind: "ready", picture: file });
  });

  test("is rejected if it is too large", async () => {
    decode.mockRejectedValueOnce(new DOMException("", "InvalidStateError"));
    expect(await preparePicture(fileOf(PNG, 6 * MB))).toEqual({
      kind: "rejected",
      message:
        "This picture is larger than 5 MB, and this browser cannot make it smaller. Choose a smaller one.",
    });
  });
});

test.each([
  ["a photo of an iPhone with another name", fileOf(HEIC, 2 * MB, "photo.jpg")],
  ["a text file", fileOf("Entry above the range", 40, "notes.txt")],
  ["an empty file", new File([], "empty.png")],
])("%s is rejected", async (_, file) => {
  const message = "This file is not a PNG, JPEG or WebP picture.";
  expect(await preparePicture(file)).toEqual({ kind: "rejected", message });
});

test("a file that has disappeared is rejected", async () => {
  const file = fileOf(PNG, 100);
  const gone = { arrayBuffer: () => Promise.reject(new DOMException("", "NotReadableError")) };
  vi.spyOn(file, "slice").mockReturnValue(Object.assign(new Blob(), gone));
  expect(await preparePicture(file)).toEqual({
    kind: "rejected",
    message: "This file cannot be read. Choose it again.",
  });
});
