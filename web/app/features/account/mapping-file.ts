import type { Schemas } from "#lib/api.ts";

/** Mark of a file with a column mapping. */
const KIND = "tradebahi-column-mapping";

type Saved = Pick<Schemas["SavedColumnMapping"], "name" | "mapping">;

/** Returns the content of the file with a column mapping. */
export function toMappingFile({ name, mapping }: Saved): string {
  return `${JSON.stringify({ kind: KIND, version: 1, name, mapping }, undefined, 2)}\n`;
}

/** Parses such a file; undefined if it is none. The server validates the mapping. */
export function parseMappingFile(text: string): Saved | undefined {
  try {
    const file: unknown = JSON.parse(text);
    if (!isMappingFile(file) || file.kind !== KIND || file.version !== 1) return undefined;
    return { name: String(file.name), mapping: file.mapping };
  } catch {
    return undefined;
  }
}

/** Returns the name of the file: orders.csv becomes orders-columns.json. */
export function mappingFileName(name: string): string {
  return `${name.replace(/\.[a-z]{3,4}$/i, "") || "table"}-columns.json`;
}

function isMappingFile(file: unknown): file is Saved & { kind: unknown; version: unknown } {
  return (
    typeof file === "object" && file !== null && "kind" in file && "version" in file && "mapping" in file
  );
}
