import { expect, it, vi } from "vitest";
import { UNDONE } from "#features/import/import-failure.ts";
import { aPreview } from "#features/import/preview-fixture.ts";
import { importSender } from "#features/import/send-import.ts";

const { upload } = vi.hoisted(() => ({ upload: vi.fn<() => Promise<Response>>() }));
vi.mock("#lib/upload.ts", () => ({ upload }));

it("says of an import that was undone since how its trades come back, and forgets its preview", async () => {
  const detail = "This change was undone before.";
  const problem = {
    type: "about:blank",
    title: "",
    status: 409,
    detail,
    instance: "1",
    code: "change_undone",
  };
  upload.mockImplementation(async () => Response.json(problem, { status: 409 }));
  const { signal } = new AbortController();
  const answer = await importSender("asha@example.in").store(aPreview, { one: {} }, signal);
  expect(answer).toEqual({ kind: "failed", failure: UNDONE, gone: true });
  expect(UNDONE).toMatchObject({ retry: false, open: false });
  expect(UNDONE.text).toContain("Choose the file again");
});
