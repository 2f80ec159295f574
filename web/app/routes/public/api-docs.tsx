import { lazy, Suspense } from "react";
import { SITE } from "#content/site.ts";
import { onFirstSign } from "#lib/on-first-sign.ts";
import { pageMeta } from "#lib/seo.ts";

const ApiDocs = lazy(
  onFirstSign(async () => ({ default: (await import("#features/api-docs/api-docs.tsx")).ApiDocs })),
);

export function meta() {
  return pageMeta({
    title: "API",
    description: `Every operation of ${SITE.name}: what it takes, what it answers, and the command that asks.`,
    noindex: true,
  });
}

export default function ApiDocsPage() {
  return (
    <div className="page-width pt-12 pb-20 md:pt-16">
      <h1 tabIndex={-1} className="text-h2">
        API
      </h1>
      <p className="mt-4 mb-8 max-w-[66ch] text-ink-2 text-lead">
        All that the pages do goes over these operations, which stand under <code>/api/v1</code> and{" "}
        <code>/</code>. Every refusal is a problem (RFC 9457) with a <code>code</code> for programs. Make a
        client of your own from{" "}
        <a href="/api/openapi.yaml" className="text-brand underline">
          openapi.yaml
        </a>
        .
      </p>
      <Suspense>
        <ApiDocs />
      </Suspense>
    </div>
  );
}
