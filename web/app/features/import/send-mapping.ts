import type { Mapping, Table } from "#features/import/mapping.ts";
import { api, isProblem } from "#lib/api.ts";
import { errorMessage } from "#lib/problem.ts";
import { upload } from "#lib/upload.ts";

export type TableResult = { kind: "read"; table: Table } | { kind: "failed"; text: string };

/** Reads the table of a file, and what a mapping makes of it. Nothing is stored. */
export async function readTable(
  email: string,
  file: File,
  options: { headerRow: number | undefined; mapping: Mapping | undefined },
  signal: AbortSignal,
): Promise<TableResult> {
  const form = new FormData();
  form.set("email", email);
  if (options.headerRow) form.set("headerRow", String(options.headerRow));
  if (options.mapping) form.set("mapping", JSON.stringify(options.mapping));
  form.set("file", file);
  try {
    const response = await upload("/uploadexcel/columns", form, { signal });
    const body: unknown = await response.json().catch(() => undefined);
    if (response.ok && isTable(body)) return { kind: "read", table: body };
    const text = isProblem(body) && body.detail ? body.detail : "The file could not be read. Try again.";
    return { kind: "failed", text };
  } catch {
    return { kind: "failed", text: "No connection. Try again." };
  }
}

/** Saves a mapping; returns the failure, or an empty text. */
export async function saveMapping(name: string, mapping: Mapping): Promise<string> {
  const body = { name: name.slice(0, 150), mapping };
  return api.POST("/trades/column-mappings", { body }).then(
    ({ error }) => (error === undefined ? "" : errorMessage(error)),
    () => "No connection. Try again.",
  );
}

function isTable(body: unknown): body is Table {
  return typeof body === "object" && body !== null && "header" in body && "issueCounts" in body;
}
