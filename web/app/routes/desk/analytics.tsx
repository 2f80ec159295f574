import { QueryClientProvider } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { useLocation } from "react-router";
import { useSession } from "#features/session/session-store.ts";
import { decodeToken, type User } from "#features/session/token.ts";
import { FocusShell } from "#features/shell/focus-shell.tsx";
import { PageFailure } from "#features/shell/page-failure.tsx";
import { ReadOnlyShell } from "#features/shell/read-only-shell.tsx";
import { parseAnalyticsPage } from "#lib/analytics-paths.ts";
import { time } from "#lib/format.ts";
import { queryClient } from "#lib/query-client.ts";
import { pageMeta } from "#lib/seo.ts";
import { pageToken } from "#lib/url-token.ts";
import { NotFound } from "#ui/not-found.tsx";
import { AnalyticsPanels } from "./analytics-panels.tsx";
import { isOwnAnalytics } from "./own-analytics.ts";

const Handoff = lazy(async () => ({
  default: (await import("#features/analytics/handoff.tsx")).Handoff,
}));

export function meta({ location }: { location: { pathname: string } }) {
  const page = parseAnalyticsPage(location.pathname);
  return pageMeta({
    title: page?.title ?? "Analytics",
    description: "Results and statistics of your trades.",
    noindex: true,
  });
}

/** A reader without a session has no desk layout around the page. */
export function ErrorBoundary() {
  const failure = <PageFailure />;
  return isOwnAnalytics(useSession()) ? failure : <FocusShell>{failure}</FocusShell>;
}

/** All pages of the analytics. Rendered only in the browser; the prerendered page shows the fallback of the layout. */
export default function AnalyticsPage() {
  const session = useSession();
  const handoffToken = pageToken();
  const isPage = parseAnalyticsPage(useLocation().pathname) !== undefined;
  const own = isOwnAnalytics(session);
  if (!isPage)
    return own ? (
      <NotFound />
    ) : (
      <FocusShell>
        <NotFound />
      </FocusShell>
    );
  const pages = own && <AnalyticsPanels name={session.user.name} email={session.user.email} />;
  if (own && !handoffToken) return pages;
  return (
    <Suspense>
      <Handoff token={handoffToken} frame={(content) => (own ? content : <FocusShell>{content}</FocusShell>)}>
        {/* A user with a session is not limited to the half hour of the token, and can make changes. */}
        {({ token, expiresAt }) =>
          pages || <Guest token={token} expiresAt={expiresAt} user={decodeToken(handoffToken)?.user} />
        }
      </Handoff>
    </Suspense>
  );
}

type GuestProps = { token: string; expiresAt: string; user: User | undefined };

/** Analytics for a reader with a read-only token but no session. */
function Guest({ token, expiresAt, user }: GuestProps) {
  return (
    <ReadOnlyShell
      aside={
        <>
          {user && <span className="font-semibold text-ink max-sm:block">{user.name}</span>}
          <span className="max-sm:hidden">, </span>
          <span>read-only until {time(expiresAt)}</span>
        </>
      }
    >
      <QueryClientProvider client={queryClient}>
        <AnalyticsPanels name={user?.name ?? "Trader"} token={token} />
      </QueryClientProvider>
    </ReadOnlyShell>
  );
}
