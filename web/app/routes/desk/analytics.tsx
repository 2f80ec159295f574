import { QueryClientProvider } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { useSession } from "#features/session/session-store.ts";
import { decodeToken, type User } from "#features/session/token.ts";
import { FocusShell } from "#features/shell/focus-shell.tsx";
import { PageFailure } from "#features/shell/page-failure.tsx";
import { ReadOnlyShell } from "#features/shell/read-only-shell.tsx";
import { time } from "#lib/format.ts";
import { queryClient } from "#lib/query-client.ts";
import { pageMeta } from "#lib/seo.ts";
import { pageToken } from "#lib/url-token.ts";
import { AnalyticsPanels } from "./analytics-panels.tsx";
import { ownAnalytics } from "./own-analytics.ts";

const Handoff = lazy(async () => ({
  default: (await import("#features/analytics/handoff.tsx")).Handoff,
}));

export function meta() {
  return pageMeta({ title: "Analytics", description: "What your trades add up to.", noindex: true });
}

/** Who was sent here from elsewhere has no frame around the page. */
export function ErrorBoundary() {
  const failure = <PageFailure />;
  return ownAnalytics(useSession()) ? failure : <FocusShell>{failure}</FocusShell>;
}

/** Built without an address: all of this is drawn in the browser alone, see the layout. */
export default function AnalyticsPage() {
  const session = useSession();
  const handed = pageToken();
  const own = ownAnalytics(session);
  const pages = own && <AnalyticsPanels name={session.user.name} />;
  if (own && !handed) return pages;
  return (
    <Suspense>
      <Handoff token={handed} frame={(content) => (own ? content : <FocusShell>{content}</FocusShell>)}>
        {/* At one's own desk the session reads on after the half hour, and may enter things. */}
        {({ token, expiresAt }) =>
          pages || <Guest token={token} expiresAt={expiresAt} user={decodeToken(handed)?.user} />
        }
      </Handoff>
    </Suspense>
  );
}

type GuestProps = { token: string; expiresAt: string; user: User | undefined };

/** Somebody who was let in to read, by a token of their own account. */
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
