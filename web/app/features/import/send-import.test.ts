import { describe, expect, it, vi } from "vitest";
import { IMPORT_UNDONE } from "#features/import/import-failure.ts";
import { aPreview } from "#features/import/preview-fixture.ts";
import { importApi } from "#features/import/send-import.ts";

const { upload } = vi.hoisted(() => ({ upload: vi.fn<() => Promise<Response>>() }));
vi.mock("#lib/upload.ts", () => ({ upload }));

const BOOK = { broker: "zerodha", tradetype: "equity" } as const;
const { signal } = new AbortController();
const api = importApi("asha@example.in");

function respondWith(status: number, code: string, wait?: string) {
  const problem = {
    type: "about:blank",
    title: "",
    status,
    detail: "Message of the server.",
    instance: "1",
    code,
  };
  const headers: HeadersInit = wait ? { "Retry-After": wait } : {};
  upload.mockImplementation(async () => new Response(JSON.stringify(problem), { status, headers }));
}

describe.each([
  ["a check", () => api.check(new File(["x"], "a.csv"), BOOK, false, "", signal, () => {})],
  ["an import", () => api.store(aPreview, { byId: {} }, signal)],
])("%s", (_, send) => {
  it.each([
    [429, "too_many_requests", "60"],
    [503, "busy", "2"],
    [503, "busy", "120"],
  ])("is retried later after a %i %s with a short wait", async (status, code, wait) => {
    respondWith(status, code, wait);
    expect(await send()).toEqual({ kind: "retryLater", seconds: Number(wait) });
  });

  it.each([
    [429, "too_many_requests", "121"],
    [503, "busy", "121"],
    [503, "busy", undefined],
  ])("fails after a %i %s with a wait of %s, and nothing is imported", async (status, code, wait) => {
    respondWith(status, code, wait);
    expect(await send()).toMatchObject({ kind: "failed", failure: { retry: true, maybeStored: false } });
  });
});

it("does not treat an unavailable server as overloaded, because it may have stored the import", async () => {
  respondWith(503, "unavailable", "1");
  expect(await api.store(aPreview, { byId: {} }, signal)).toMatchObject({
    kind: "failed",
    failure: { retry: true, maybeStored: true },
  });
});

it("reports an import that was undone, with an expired preview", async () => {
  respondWith(409, "change_undone");
  expect(await api.store(aPreview, { byId: {} }, signal)).toEqual({
    kind: "failed",
    failure: IMPORT_UNDONE,
    previewExpired: true,
  });
  expect(IMPORT_UNDONE).toMatchObject({ retry: false, maybeStored: false });
  expect(IMPORT_UNDONE.text).toContain("Choose the file again");
});
