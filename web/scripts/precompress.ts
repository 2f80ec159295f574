/** Writes a .br and a .gz beside each text file of the build, once, so that the server never compresses. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const ROOT = fileURLToPath(new URL("../build/client/", import.meta.url));
const TEXT = new Set([".html", ".js", ".css", ".svg", ".json", ".txt", ".xml", ".webmanifest"]);
/** Below this the headers weigh more than what is saved. */
const LEAST = 1_024;

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

const started = performance.now();
let files = 0;
for (const entry of await readdir(ROOT, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  if (!entry.isFile() || !TEXT.has(extname(path))) continue;
  const bytes = await readFile(path);
  if (bytes.length <= LEAST) continue;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  await Promise.all([
    brotli(bytes, { params }).then((packed) => writeFile(`${path}.br`, packed)),
    zip(bytes, { level: 9 }).then((packed) => writeFile(`${path}.gz`, packed)),
  ]);
  files += 1;
}
console.log(`precompressed ${files} files in ${Math.round(performance.now() - started)} ms`);
