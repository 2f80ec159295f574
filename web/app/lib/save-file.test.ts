import { expect, it } from "vitest";
import { attachmentName } from "#lib/save-file.ts";

it.each([
  [`attachment; filename="a-2025-26.csv"`, "a-2025-26.csv"],
  [`attachment; filename="___.csv"; filename*=UTF-8''%E0%A4%B0%E0%A4%B5%E0%A4%BF.csv`, "रवि.csv"],
  ["", undefined],
])("reads the file name of %o", (header, name) =>
  expect(attachmentName(new Response("", { headers: header ? { "Content-Disposition": header } : {} }))).toBe(
    name,
  ),
);
