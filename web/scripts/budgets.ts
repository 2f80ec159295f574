/** Sums the sizes of the files that each built page loads first; fails above the budget. Run after `npm run build`. */
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const ROOT = fileURLToPath(new URL("../build/client/", import.meta.url));
const kB = 1_000;

type Budget = { js: number; css: number; fonts: number; html: number };
const PUBLIC: Budget = { js: 130 * kB, css: 15 * kB, fonts: 60 * kB, html: 20 * kB };
const FORM: Budget = { ...PUBLIC, js: 151 * kB };
const DESK: Budget = { js: 170 * kB, css: 18 * kB, fonts: 60 * kB, html: 8 * kB };

/** Budgets of chunks that load later, by chunk name, without the files that the page has already loaded. */
const LATER = [
  { page: "analytics/index.html", chunk: "analytics-pages", js: 22 * kB },
  { page: "analytics/index.html", chunk: "reconcile-page", js: 28 * kB },
  { page: "analytics/strategies/index.html", chunk: "strategies-page", js: 27 * kB },
  { page: "analytics/strategies/index.html", chunk: "strategy-page", js: 23 * kB },
] as const;

function budgetOf(page: string): Budget {
  if (/^(dashboard|add-new-trades|account|analytics|journal)\b/.test(page)) return DESK;
  if (
    /^(job-description|apply|application|login|signup|forgot-password|reset-password|confirm-email)\b/.test(
      page,
    )
  )
    return FORM;
  return PUBLIC;
}

async function load(url: string): Promise<Buffer> {
  return readFile(join(ROOT, url));
}

async function gzipped(urls: string[]): Promise<number> {
  const sizes = await Promise.all(urls.map(async (url) => gzipSync(await load(url), { level: 9 }).length));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Lists the local URLs in the page with this file extension, in links, imports and sources. */
function localUrls(html: string, extension: string): string[] {
  const matches = html.matchAll(new RegExp(`["'](/[^"'?#\\s]+\\.${extension})["']`, "g"));
  return [...new Set([...matches].map(([, url]) => url ?? ""))];
}

let failed = false;
const entries = await readdir(ROOT, { recursive: true, withFileTypes: true });
const pages = entries
  .filter((entry) => entry.isFile() && entry.name.endsWith(".html"))
  .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
  .sort();

for (const page of pages) {
  const html = (await load(page)).toString();
  const sheets = localUrls(html, "css");
  const sheetTexts = await Promise.all(sheets.map(async (url) => (await load(url)).toString()));
  // All font files count, including the one-glyph files, because most pages show a ₹.
  const faces = new Set(
    sheetTexts.flatMap((css) =>
      [...css.matchAll(/url\(["']?(\/[^"')]+\.woff2)/g)].map(([, url]) => url ?? ""),
    ),
  );
  const fonts = (await Promise.all([...faces].map(load))).reduce((sum, file) => sum + file.length, 0);
  const actual: Budget = {
    js: await gzipped(localUrls(html, "js")),
    css: await gzipped(sheets),
    fonts,
    html: gzipSync(html, { level: 9 }).length,
  };
  const budget = budgetOf(page);
  const parts = (["js", "css", "fonts", "html"] as const).map((kind) => {
    const over = actual[kind] > budget[kind];
    failed ||= over;
    return `${kind} ${(actual[kind] / kB).toFixed(1)}/${budget[kind] / kB}${over ? " OVER" : ""}`;
  });
  console.log(`${page.padEnd(34)} ${parts.join("  ")} kB`);
}
/** Returns the chunk and its static imports. */
async function withImports(url: string, urls = new Set<string>()): Promise<Set<string>> {
  if (urls.has(url)) return urls;
  urls.add(url);
  const text = (await load(url)).toString();
  const names = text.matchAll(/(?:import|from)\s*["']\.\/([^"']+\.js)["']/g);
  for (const [, name] of names) await withImports(`/assets/${name}`, urls);
  return urls;
}

for (const { page, chunk, js } of LATER) {
  const first = localUrls((await load(page)).toString(), "js");
  const files = (await readdir(join(ROOT, "assets"))).filter((name) => /\.js$/.test(name));
  const entry = files.find((name) => name.startsWith(`${chunk}-`));
  if (!entry) throw new Error(`There is no chunk named ${chunk}.`);
  const later = [...(await withImports(`/assets/${entry}`))].filter((url) => !first.includes(url));
  const size = await gzipped(later);
  const over = size > js;
  failed ||= over;
  console.log(
    `${`${page}, ${chunk} later`.padEnd(42)} js ${(size / kB).toFixed(1)}/${js / kB}${over ? " OVER" : ""} kB`,
  );
}
if (pages.length === 0) {
  console.error("No pages in build/client: run `npm run build` first.");
  failed = true;
}
process.exitCode = failed ? 1 : 0;
