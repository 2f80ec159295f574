import { lazy, Suspense } from "react";
import { SITE } from "#content/site.ts";
import { loadOnInteraction } from "#lib/load-on-interaction.ts";
import { pageMeta } from "#lib/seo.ts";

const ApiDocs = lazy(
  loadOnInteraction(async () => ({ default: (await import("#features/api-docs/api-docs.tsx")).ApiDocs })),
);

export function meta() {
  return pageMeta({
    title: "API",
    description: `Every operation of the ${SITE.name} API: parameters, responses and an example command.`,
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
        The web app uses these operations only. Their paths begin with <code>/api/v1</code> or <code>/</code>.
        Every error is a problem (RFC 9457) with a <code>code</code> for programs. Generate your own client
        from{" "}
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
