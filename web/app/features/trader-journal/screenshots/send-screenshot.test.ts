import { beforeEach, describe, expect, test, vi } from "vitest";
import {
  screenshotForm,
  sendScreenshot,
  uploadFailure,
} from "#features/trader-journal/screenshots/send-screenshot.ts";

const { upload } = vi.hoisted(() => ({ upload: vi.fn() }));
vi.mock("#lib/upload.ts", () => ({ upload }));

const SUBJECT = { kind: "position", key: "k1", symbol: "INFY", day: "2026-11-20" } as const;
const PICTURE = new File(["x"], "chart.png", { type: "image/png" });
const ID = "5a0b6f2e-8a52-4c6b-9d57-3f2b1c0d9e8f";

function problem(status: number, code: string, detail: string, errors: object[] = []) {
  return { type: "about:blank", title: "", status, code, detail, instance: "/", errors };
}
const failureOf = (status: number, code: string, detail: string, errors: object[] = []) =>
  uploadFailure(new Response(null, { status }), problem(status, code, detail, errors));
const send = (onProgress = (_: number) => {}) =>
  sendScreenshot(SUBJECT, ID, PICTURE, { signal: new AbortController().signal, onProgress });

beforeEach(() => upload.mockReset());

describe("form", () => {
  test("describes the entry, and ends with the picture", () => {
    const form = screenshotForm({ ...SUBJECT, side: "long", quantity: 60 }, ID, PICTURE);
    expect([...form.keys()]).toEqual(["id", "kind", "key", "symbol", "day", "side", "quantity", "file"]);
    expect(form.get("quantity")).toBe("60");
  });

  test("leaves out what is unknown", () => {
    const form = screenshotForm({ kind: "day", key: "2026-11-20", day: "2026-11-20" }, ID, PICTURE);
    expect([...form.keys()]).toEqual(["id", "kind", "key", "day", "file"]);
    expect(screenshotForm({ ...SUBJECT, quantity: null }, ID, PICTURE).has("quantity")).toBe(false);
  });
});

describe("response", () => {
  test("the entry is returned", async () => {
    const entry = { key: "k1", version: 1, screenshots: [] };
    upload.mockResolvedValue(Response.json(entry, { status: 201 }));
    expect(await send()).toEqual({ kind: "stored", entry });
  });

  test("without a response the picture may be sent again; after all bytes it may have been stored", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    upload.mockRejectedValueOnce(new TypeError("The connection was lost."));
    expect(await send()).toMatchObject({ kind: "failed", canRetry: true, maybeStored: false });
    upload.mockImplementationOnce(async (_path, _form, { onProgress }) => {
      onProgress(1);
      throw new DOMException("The server did not respond in time.", "TimeoutError");
    });
    expect(await send()).toMatchObject({
      message: "The server could not be reached. The picture is kept until you close this tab.",
      canRetry: true,
      maybeStored: true,
    });
  });
});

describe("a refused picture", () => {
  test.each([
    [409, "screenshots_full", "An entry holds 10 screenshots. Delete one first."],
    [409, "screenshot_quota_reached", "Your screenshots use all of your 200 MB. Delete some first."],
    [503, "busy", "Many pictures are being received right now. Try again in a moment."],
    [507, "storage_full", "There is no room at the moment."],
  ])("can be repeated after %i %s", (status, code, detail) => {
    expect(failureOf(status, code, detail)).toEqual({
      kind: "failed",
      message: detail,
      canRetry: true,
      maybeStored: status >= 500,
    });
  });

  test.each([
    ["not_a_picture", "This file is not a PNG, JPEG or WebP picture."],
    ["picture_damaged", "This picture is damaged and cannot be read."],
    ["too_many_pixels", "This picture has more than 25 megapixels. Make it smaller first."],
  ])("cannot be repeated after %s", (code, message) => {
    const failure = failureOf(422, "invalid", "", [{ field: "file", code, message }]);
    expect(failure).toEqual({ kind: "failed", message, canRetry: false });
  });

  test("a too large picture says so, even without a message of the server", () => {
    const tooLarge = {
      kind: "failed",
      canRetry: false,
      message: expect.stringContaining("larger than 5 MB"),
    };
    expect(
      failureOf(413, "screenshot_too_large", "The picture is larger than 5 MB. Choose a smaller one."),
    ).toEqual(tooLarge);
    expect(uploadFailure(new Response(null, { status: 413 }), undefined)).toEqual(tooLarge);
  });
});
