import { expect, it, vi } from "vitest";
import { loadLayout } from "#features/import/load-layout.ts";

const { upload } = vi.hoisted(() => ({ upload: vi.fn<() => Promise<Response>>() }));
vi.mock("#lib/upload.ts", () => ({ upload }));

const load = () => loadLayout(new File(["x"], "note.pdf"), "", new AbortController().signal);
const TIMED_OUT = "The server needed too long to read the file. Try again in a few minutes.";

function respondWith(status: number, body: unknown) {
  upload.mockImplementation(async () => new Response(JSON.stringify(body), { status }));
}

it("returns the layout", async () => {
  respondWith(200, { text: "{page 1}\n" });
  expect(await load()).toEqual({ kind: "read", text: "{page 1}\n" });
});

it.each([
  [413, false],
  [422, false],
  [401, false],
  [429, true],
  [500, true],
  [503, true],
  [507, true],
])("offers to repeat a request after a %i: %s", async (status, retry) => {
  const detail = "Message of the server.";
  respondWith(status, { type: "about:blank", title: "", status, detail, instance: "1", code: "x" });
  expect(await load()).toEqual({ kind: "failed", text: detail, retry });
});

it("has a text of its own for a timeout of the server or the browser", async () => {
  respondWith(504, { detail: "The answer took too long." });
  expect(await load()).toEqual({ kind: "failed", text: TIMED_OUT, retry: true });
  upload.mockRejectedValue(new DOMException("The server did not respond in time.", "TimeoutError"));
  expect(await load()).toEqual({ kind: "failed", text: TIMED_OUT, retry: true });
});

it("offers to repeat a request without a connection", async () => {
  upload.mockRejectedValue(new TypeError("The connection was lost."));
  expect(await load()).toEqual({ kind: "failed", text: "No connection. Try again.", retry: true });
});
