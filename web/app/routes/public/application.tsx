import { lazy, Suspense, useEffect, useState } from "react";
import { pageMeta } from "#lib/seo.ts";
import { pageToken } from "#lib/url-token.ts";

const CandidatePage = lazy(async () => ({
  default: (await import("#features/application/application-page.tsx")).ApplicationPage,
}));

export function meta() {
  return pageMeta({
    title: "Your application",
    description: "The status of your application, and what you can do with it.",
    noindex: true,
  });
}

export default function ApplicationPage() {
  // The key was removed from the URL before the router started; the prerendered page has none.
  const [key, setKey] = useState<string>();
  useEffect(() => setKey(pageToken()), []);
  return (
    <Suspense>
      {key === undefined ? (
        <h1 tabIndex={-1} className="text-h2">
          Your application
        </h1>
      ) : (
        <CandidatePage applicationKey={key} />
      )}
    </Suspense>
  );
}
