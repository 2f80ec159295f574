/**
 * Writes sitemap.xml and robots.txt from the built pages: every page with a canonical URL, with the date of its last
 * change. Run after the build and before the compression.
 */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SITE } from "../app/content/site.ts";

const ROOT = fileURLToPath(new URL("../build/client/", import.meta.url));

const pages = new Map<string, string>();
for (const name of await readdir(ROOT, { recursive: true })) {
  if (!/(^|\/)index\.html$/.test(name)) continue;
  const html = await readFile(join(ROOT, name), "utf8");
  const url = /<link rel="canonical" href="([^"]+)"/.exec(html)?.[1];
  if (!url) continue;
  const updated = /<meta property="og:updated_time" content="([^"]+)"/.exec(html)?.[1];
  if (!updated) throw new Error(`${name} has no date of its last change: set \`updated\` in \`pageMeta\`.`);
  // If several pages have the same canonical URL, use the date of the canonical page.
  if (!pages.has(url) || url === SITE.origin + pathOf(name)) pages.set(url, updated);
}

/** Returns `/about-us` for `about-us/index.html`. */
function pathOf(name: string): string {
  return `/${name.replace(/\/?index\.html$/, "")}`;
}

const entries = [...pages].sort(([one], [other]) => (one < other ? -1 : 1));
const urls = entries.map(([url, updated]) => `  <url><loc>${url}</loc><lastmod>${updated}</lastmod></url>\n`);
await writeFile(
  join(ROOT, "sitemap.xml"),
  `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join("")}</urlset>\n`,
);
await writeFile(
  join(ROOT, "robots.txt"),
  `User-agent: *\nAllow: /\nDisallow: /api/\n\nSitemap: ${SITE.origin}/sitemap.xml\n`,
);
console.log(`sitemap of ${pages.size} pages`);
