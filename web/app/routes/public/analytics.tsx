import { lazy, Suspense, useEffect, useState } from "react";
import { tokenOfPage } from "#lib/arrived-token.ts";
import { pageMeta } from "#lib/seo.ts";

const AnalyticsGreeting = lazy(async () => ({
  default: (await import("#features/analytics/analytics-greeting.tsx")).AnalyticsGreeting,
}));

export function meta() {
  return pageMeta({ title: "Analytics", description: "What your trades add up to.", noindex: true });
}

export default function AnalyticsPage() {
  // Pages are built without an address: an opened link shows with the second render.
  const [token, setToken] = useState<string>();
  useEffect(() => setToken(tokenOfPage()), []);
  return (
    <Suspense>
      {token === undefined ? (
        <h1 tabIndex={-1} className="text-h2">
          Analytics
        </h1>
      ) : (
        <AnalyticsGreeting token={token} />
      )}
    </Suspense>
  );
}
