import { lazy, Suspense, useEffect, useState } from "react";
import { tokenOfPage } from "#lib/arrived-token.ts";
import { pageMeta } from "#lib/seo.ts";

const OwnPage = lazy(async () => ({
  default: (await import("#features/application/own-page.tsx")).OwnPage,
}));

export function meta() {
  return pageMeta({
    title: "Your application",
    description: "How far your application is, and what you can do with it.",
    noindex: true,
  });
}

export default function ApplicationPage() {
  // The key was taken out of the address before the router saw it; pages are built without one.
  const [key, setKey] = useState<string>();
  useEffect(() => setKey(tokenOfPage()), []);
  return (
    <Suspense>
      {key === undefined ? (
        <h1 tabIndex={-1} className="text-h2">
          Your application
        </h1>
      ) : (
        <OwnPage applicationKey={key} />
      )}
    </Suspense>
  );
}
