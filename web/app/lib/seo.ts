import type { MetaDescriptor } from "react-router";
import { SITE } from "#content/site.ts";
import type { JsonLd } from "#lib/json-ld.ts";

export type PageDescription = {
  /** At most 60 characters including the product name that is appended. */
  title: string;
  /** At most 155 characters, different on every page. */
  description: string;
  /** Canonical path with a leading and without a trailing slash; omitted if the page has no canonical URL. */
  path?: string;
  /** Date of the last change of the texts, such as `2026-11-20`, for the sitemap. */
  updated?: string;
  /** Set for forms, receipts and private pages. */
  noindex?: boolean;
  /** Structured data; the page must show everything in it. */
  jsonLd?: readonly JsonLd[];
};

/** Returns the meta elements of a page, for `meta()` of a route. */
export function pageMeta(page: PageDescription): MetaDescriptor[] {
  const { title, description, path, updated, noindex = false, jsonLd = [] } = page;
  const fullTitle = title.includes(SITE.name) ? title : `${title} · ${SITE.name}`;
  const meta: MetaDescriptor[] = [{ title: fullTitle }, { name: "description", content: description }];
  if (noindex) return [...meta, { name: "robots", content: "noindex" }];

  meta.push(
    ...property("type", "website"),
    ...property("site_name", SITE.name),
    ...property("locale", "en_IN"),
    ...property("title", fullTitle),
    ...property("description", description),
    ...property("updated_time", updated),
    ...jsonLd.map((thing) => ({ "script:ld+json": thing })),
  );
  if (path === undefined) return meta;

  const url = SITE.origin + path;
  return [
    ...meta,
    ...property("url", url),
    // Created by scripts/og-images.ts, one per page.
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
