/** The command that asks, to be copied into a terminal. */

import type { OpenApiParameter } from "./openapi.ts";

const CREDENTIALS: Record<string, string> = {
  session: '-H "Authorization: Bearer $TOKEN"',
  refresh: '-b "rt=$REFRESH_TOKEN"',
  journal: '-b "journal=$JOURNAL"',
  applicationKey: '-H "Application-Key: $KEY"',
};

/** `$ORIGIN` and the credential are left to the shell: a page shows no secret, and knows no address. */
export function curlOf(
  method: string,
  path: string,
  parameters: OpenApiParameter[],
  security: Record<string, unknown>[],
  body: { media: string; value: unknown } | undefined,
): string {
  const asked = parameters.filter(({ in: place, required }) => place === "query" && required);
  const query = asked
    .map(({ name, schema }) => `${name}=${schema.enum?.[0] ?? name.toUpperCase()}`)
    .join("&");
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`);
  const parts = [`curl "$ORIGIN${filled}${query && `?${query}`}"`];
  if (method !== "get" && !(method === "post" && body)) parts.push(`-X ${method.toUpperCase()}`);
  const credential = Object.keys(security[0] ?? {})[0];
  if (credential && CREDENTIALS[credential]) parts.push(CREDENTIALS[credential]);
  if (body?.media === "multipart/form-data") parts.push(...formOf(body.value));
  else if (body)
    parts.push('-H "Content-Type: application/json"', `-d ${quoted(JSON.stringify(body.value))}`);
  return parts.join(" \\\n  ");
}

/** A file is named, whatever the example holds. */
function formOf(value: unknown): string[] {
  const fields = Object.entries((value ?? {}) as Record<string, unknown>);
  return fields.map(([name, text]) => {
    if (name === "file") return "-F file=@tradebook.csv";
    if (name === "resume") return "-F resume=@resume.pdf";
    return `-F ${quoted(`${name}=${text}`)}`;
  });
}

/** In single quotes nothing means anything to a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
