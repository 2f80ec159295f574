import type { OpenApiParameter } from "./openapi-types.ts";

const CREDENTIALS: Record<string, string> = {
  session: '-H "Authorization: Bearer $TOKEN"',
  refresh: '-b "rt=$REFRESH_TOKEN"',
  journal: '-b "journal=$JOURNAL"',
  applicationKey: '-H "Application-Key: $KEY"',
  emailCorrectionToken: '-H "Email-Correction-Token: $TOKEN"',
};

/**
 * Returns the curl command of an operation. The origin and the credential are shell variables: the page knows neither.
 */
export function curlCommand(
  method: string,
  path: string,
  parameters: OpenApiParameter[],
  security: Record<string, unknown>[],
  body: { media: string; value: unknown } | undefined,
): string {
  const required = parameters.filter((parameter) => parameter.in === "query" && parameter.required);
  const query = required
    .map(({ name, schema }) => `${name}=${schema.enum?.[0] ?? name.toUpperCase()}`)
    .join("&");
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`);
  const parts = [`curl "$ORIGIN${filled}${query && `?${query}`}"`];
  if (method !== "get" && !(method === "post" && body)) parts.push(`-X ${method.toUpperCase()}`);
  const credential = Object.keys(security[0] ?? {})[0];
  if (credential && CREDENTIALS[credential]) parts.push(CREDENTIALS[credential]);
  if (body?.media === "multipart/form-data") parts.push(...formFields(body.value));
  else if (body)
    parts.push('-H "Content-Type: application/json"', `-d ${shellQuote(JSON.stringify(body.value))}`);
  return parts.join(" \\\n  ");
}

/** Returns a `-F` option per field. File fields name a file instead of the example value. */
function formFields(value: unknown): string[] {
  const fields = Object.entries((value ?? {}) as Record<string, unknown>);
  return fields.map(([name, text]) => {
    if (name === "file") return "-F file=@tradebook.csv";
    if (name === "resume") return "-F resume=@resume.pdf";
    return `-F ${shellQuote(`${name}=${text}`)}`;
  });
}

/** Quotes text for a POSIX shell; single quotes prevent every expansion. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
