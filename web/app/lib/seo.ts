import type { MetaDescriptor } from "react-router";
import { SITE } from "#content/site.ts";
import type { JsonLd } from "#lib/json-ld.ts";

export type PageWords = {
  /** At most 60 characters with the name of the product behind it. */
  title: string;
  /** At most 155 characters, written for this page. */
  description: string;
  /** With a leading slash and none behind; left out where a page has no address of its own. */
  path?: string;
  /** The day on which the words of the page last changed, such as `2026-11-20`: it stands in the sitemap. */
  updated?: string;
  /** Forms, receipts and private pages: kept out of search. */
  noindex?: boolean;
  /** What the page is about, for search engines; everything in it stands on the page. */
  jsonLd?: readonly JsonLd[];
};

/** What `meta()` of a route returns. */
export function pageMeta(words: PageWords): MetaDescriptor[] {
  const { title, description, path, updated, noindex = false, jsonLd = [] } = words;
  const full = title.includes(SITE.name) ? title : `${title} · ${SITE.name}`;
  const about: MetaDescriptor[] = [{ title: full }, { name: "description", content: description }];
  if (noindex) return [...about, { name: "robots", content: "noindex" }];

  about.push(
    ...property("type", "website"),
    ...property("site_name", SITE.name),
    ...property("locale", "en_IN"),
    ...property("title", full),
    ...property("description", description),
    ...property("updated_time", updated),
    ...jsonLd.map((thing) => ({ "script:ld+json": thing })),
  );
  if (path === undefined) return about;

  const url = SITE.origin + path;
  return [
    ...about,
    ...property("url", url),
    // Drawn by scripts/og-images.ts, one for each page.
    ...property("image", `${SITE.origin}/og/${path.slice(1) || "home"}.png`),
    ...property("image:width", "1200"),
    ...property("image:height", "630"),
    ...property("image:alt", title),
    { name: "twitter:card", content: "summary_large_image" },
    { tagName: "link", rel: "canonical", href: url },
  ];
}

function property(name: string, content: string | undefined): MetaDescriptor[] {
  return content === undefined ? [] : [{ property: `og:${name}`, content }];
}
