import { pageMeta } from "#lib/seo.ts";
import { NotFound } from "#ui/not-found.tsx";

export function meta() {
  return pageMeta({
    title: "Page Not Found",
    description: "There is no page at this address.",
    noindex: true,
  });
}

export default NotFound;
