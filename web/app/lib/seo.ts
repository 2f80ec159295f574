import type { MetaDescriptor } from "react-router";
import { SITE } from "#content/site.ts";

export type PageWords = {
  /** At most 60 characters with the name of the product behind it. */
  title: string;
  /** At most 155 characters, written for this page. */
  description: string;
  /** With a leading slash and none behind; left out where a page has no address of its own. */
  path?: string;
  /** Forms, receipts and private pages: kept out of search. */
  noindex?: boolean;
};

/** What `meta()` of a route returns. */
export function pageMeta({ title, description, path, noindex = false }: PageWords): MetaDescriptor[] {
  const full = title.includes(SITE.name) ? title : `${title} · ${SITE.name}`;
  const about: MetaDescriptor[] = [{ title: full }, { name: "description", content: description }];
  if (noindex) return [...about, { name: "robots", content: "noindex" }];

  const social: MetaDescriptor[] = [
    { property: "og:type", content: "website" },
    { property: "og:site_name", content: SITE.name },
    { property: "og:locale", content: "en_IN" },
    { property: "og:title", content: full },
    { property: "og:description", content: description },
  ];
  if (path === undefined) return [...about, ...social];

  const url = path === "/" ? `${SITE.origin}/` : SITE.origin + path;
  return [
    ...about,
    ...social,
    { property: "og:url", content: url },
    { tagName: "link", rel: "canonical", href: url },
  ];
}
