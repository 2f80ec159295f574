/** Writes a .br and a .gz file for each text file of the build, so that the server does not have to compress. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const ROOT = fileURLToPath(new URL("../build/client/", import.meta.url));
const TEXT_EXTENSIONS = new Set([".html", ".js", ".css", ".svg", ".json", ".txt", ".xml", ".webmanifest"]);
/** Smaller files are not compressed, because the headers cost more than the compression saves. */
const MIN_BYTES = 1_024;

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

const started = performance.now();
let files = 0;
for (const entry of await readdir(ROOT, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  if (!entry.isFile() || !TEXT_EXTENSIONS.has(extname(path))) continue;
  const bytes = await readFile(path);
  if (bytes.length <= MIN_BYTES) continue;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  await Promise.all([
    brotli(bytes, { params }).then((compressed) => writeFile(`${path}.br`, compressed)),
    zip(bytes, { level: 9 }).then((compressed) => writeFile(`${path}.gz`, compressed)),
  ]);
  files += 1;
}
console.log(`precompressed ${files} files in ${Math.round(performance.now() - started)} ms`);
