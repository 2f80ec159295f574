import { lazy, Suspense, useEffect, useState } from "react";
import { SharedTaxPackSkeleton } from "#features/analytics/tax/shared-tax-pack-skeleton.tsx";
import { parseTaxLinkToken } from "#features/analytics/tax/tax-link-token.ts";
import { ReadOnlyShell } from "#features/shell/read-only-shell.tsx";
import { pageMeta } from "#lib/seo.ts";

const SharedTaxPack = lazy(async () => ({
  default: (await import("#features/analytics/tax/shared-tax-pack.tsx")).SharedTaxPack,
}));

export function meta() {
  return pageMeta({
    title: "Shared tax pack",
    description: "The tax pack of one year, shared by a trader with an accountant.",
    noindex: true,
  });
}

/** Shows the tax pack of a link without an account. The token stays in the fragment, so that a bookmark works. */
export default function SharedTaxPackPage() {
  // The prerendered page has no fragment.
  const [token, setToken] = useState<string>();
  useEffect(() => {
    let current = "";
    const readFragment = () => {
      const next = parseTaxLinkToken(window.location.hash);
      if (next || !current) {
        current = next;
        setToken(next);
      } else {
        // The skip link has replaced the token, which a reload needs.
        window.history.replaceState(window.history.state, "", `#${current}`);
      }
    };
    readFragment();
    window.addEventListener("hashchange", readFragment);
    return () => window.removeEventListener("hashchange", readFragment);
  }, []);

  return (
    <ReadOnlyShell aside="Read-only">
      {token === undefined ? (
        <SharedTaxPackSkeleton />
      ) : (
        <Suspense fallback={<SharedTaxPackSkeleton />}>
          <SharedTaxPack key={token} token={token} />
        </Suspense>
      )}
    </ReadOnlyShell>
  );
}
