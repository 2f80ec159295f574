import { describe, expect, it, vi } from "vitest";
import { aPreview } from "#features/import/preview-fixture.ts";
import { importSender } from "#features/import/send-import.ts";

const { upload } = vi.hoisted(() => ({ upload: vi.fn<() => Promise<Response>>() }));
vi.mock("#lib/upload.ts", () => ({ upload }));

const BOOK = { broker: "zerodha", tradetype: "equity" } as const;
const { signal } = new AbortController();
const sender = importSender("asha@example.in");

function answer(status: number, code: string, wait?: string) {
  const problem = { type: "about:blank", title: "", status, detail: "In its words.", instance: "1", code };
  const headers: HeadersInit = wait ? { "Retry-After": wait } : {};
  upload.mockImplementation(async () => new Response(JSON.stringify(problem), { status, headers }));
}

describe.each([
  ["a check", () => sender.check(new File(["x"], "a.csv"), BOOK, signal, () => {})],
  ["storing", () => sender.store(aPreview, { one: {} }, signal)],
])("%s", (_, ask) => {
  it.each([
    [429, "too_many_requests", "60"],
    [503, "busy", "2"],
    [503, "busy", "120"],
  ])("is put off by a %i %s that names a short wait", async (status, code, wait) => {
    answer(status, code, wait);
    expect(await ask()).toEqual({ kind: "later", seconds: Number(wait) });
  });

  it.each([
    [429, "too_many_requests", "121"],
    [503, "busy", "121"],
    [503, "busy", undefined],
  ])("fails by a %i %s with a wait of %s, and nothing is stored", async (status, code, wait) => {
    answer(status, code, wait);
    expect(await ask()).toMatchObject({ kind: "failed", failure: { retry: true, open: false } });
  });
});

it("does not take a server that cannot be reached for one that takes no more: it may have stored", async () => {
  answer(503, "unavailable", "1");
  expect(await sender.store(aPreview, { one: {} }, signal)).toMatchObject({
    kind: "failed",
    failure: { retry: true, open: true },
  });
});
