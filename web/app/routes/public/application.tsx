import { lazy, Suspense, useEffect, useState } from "react";
import { FocusColumn } from "#features/shell/focus-column.tsx";
import { pageMeta } from "#lib/seo.ts";
import { pageToken, takeApplicationKey } from "#lib/url-token.ts";

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

type OpenedLink = { key: string; visit: number };

export default function ApplicationPage() {
  // The key was removed from the URL before the router started; the prerendered page has none.
  const [link, setLink] = useState<OpenedLink>();
  useEffect(() => {
    setLink({ key: pageToken(), visit: 0 });
    // A link that is opened on this page changes only the fragment.
    const openLink = () => {
      if (!takeApplicationKey()) return;
      setLink((last) => ({ key: pageToken(), visit: (last?.visit ?? 0) + 1 }));
    };
    window.addEventListener("hashchange", openLink);
    return () => window.removeEventListener("hashchange", openLink);
  }, []);
  return (
    <FocusColumn>
      <Suspense>
        {link === undefined ? (
          <h1 tabIndex={-1} className="text-h2">
            Your application
          </h1>
        ) : (
          <CandidatePage key={link.visit} applicationKey={link.key} />
        )}
      </Suspense>
    </FocusColumn>
  );
}
