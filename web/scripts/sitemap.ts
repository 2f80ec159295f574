/**
 * Writes sitemap.xml and robots.txt from the pages as they were built: each that is meant to be found, under its own
 * address, with the day on which its words last changed. Run after the build, before the compression.
 */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SITE } from "../app/content/site.ts";

const ROOT = fileURLToPath(new URL("../build/client/", import.meta.url));

const found = new Map<string, string>();
for (const name of await readdir(ROOT, { recursive: true })) {
  if (!/(^|\/)index\.html$/.test(name)) continue;
  const html = await readFile(join(ROOT, name), "utf8");
  const address = /<link rel="canonical" href="([^"]+)"/.exec(html)?.[1];
  if (!address) continue;
  const updated = /<meta property="og:updated_time" content="([^"]+)"/.exec(html)?.[1];
  if (!updated) throw new Error(`${name} says no day of its last change: give \`pageMeta\` one.`);
  // A page that points to another one leaves the day to that one.
  if (!found.has(address) || address === SITE.origin + addressOf(name)) found.set(address, updated);
}

/** `about-us/index.html` is `/about-us`. */
function addressOf(name: string): string {
  return `/${name.replace(/\/?index\.html$/, "")}`;
}

const entries = [...found].sort(([one], [other]) => (one < other ? -1 : 1));
const urls = entries.map(
  ([address, updated]) => `  <url><loc>${address}</loc><lastmod>${updated}</lastmod></url>\n`,
);
await writeFile(
  join(ROOT, "sitemap.xml"),
  `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join("")}</urlset>\n`,
);
await writeFile(
  join(ROOT, "robots.txt"),
  `User-agent: *\nAllow: /\nDisallow: /api/\n\nSitemap: ${SITE.origin}/sitemap.xml\n`,
);
console.log(`sitemap of ${found.size} pages`);
