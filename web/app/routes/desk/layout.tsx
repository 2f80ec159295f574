import { QueryClientProvider } from "@tanstack/react-query";
import { Fragment, lazy, Suspense, useEffect, useState } from "react";
import { Outlet, useLocation, useNavigate, useSearchParams } from "react-router";
import { LeaveDialog } from "#features/import/leave-dialog.tsx";
import { AccessDenied } from "#features/session/access-denied.tsx";
import { AccountLink } from "#features/session/account-link.tsx";
import { getSession, onAccountChange, useSession } from "#features/session/session-store.ts";
import type { User } from "#features/session/token.ts";
import { ANALYTICS, deskPath, JOURNAL } from "#features/shell/desk-items.ts";
import { DeskShell } from "#features/shell/desk-shell.tsx";
import { FocusShell } from "#features/shell/focus-shell.tsx";
import { parseAnalyticsPage } from "#lib/analytics-paths.ts";
import { queryClient } from "#lib/query-client.ts";
import { tokenSource } from "#lib/token-source.ts";
import { clearUnfinishedWork } from "#lib/unfinished-work.ts";
import { clearPageToken, pageToken } from "#lib/url-token.ts";
import { useShortcuts } from "#lib/use-shortcuts.ts";
import { LoadingOverlay } from "#ui/loading-overlay.tsx";
import { isOwnAnalytics } from "./own-analytics.ts";
import { isDeskPage, parsePanel, TRADE_LOG } from "./panel.ts";
import { PrefetchPages } from "./prefetch-pages.tsx";
import { useAddTrade } from "./use-add-trade.ts";
import { announceInterrupted, useDeskImport } from "./use-desk-import.ts";

const ShortcutsDialog = lazy(async () => ({
  default: (await import("#features/shortcuts/shortcuts-dialog.tsx")).ShortcutsDialog,
}));

const ConfirmReminder = lazy(async () => ({
  default: (await import("#features/account/confirm-reminder.tsx")).ConfirmReminder,
}));

// Registered once for the lifetime of the page, so that no cached trades outlive the session.
onAccountChange(() => {
  queryClient.clear();
  clearUnfinishedWork();
});

/** Renews an expired token before the desk is rendered, or ends the session. */
export async function clientLoader(): Promise<null> {
  if (getSession().token) await tokenSource().freshToken();
  return null;
}
clientLoader.hydrate = true as const;

/** Panels, filters and sorting are in the query string; they do not affect the session. */
export function shouldRevalidate(): boolean {
  return false;
}

export function HydrateFallback() {
  // Depends on the path only: it is prerendered, so it must be the same for any query string.
  const title = useTitle();
  return (
    <DeskShell userName="Trader" title={title} current={useSectionPath()}>
      <h1 className="sr-only">{title}</h1>
      <LoadingOverlay />
    </DeskShell>
  );
}

export default function DeskLayout() {
  const session = useSession();
  const { token, user } = session;
  const atAnalytics = useTitle() === ANALYTICS.label;
  const isUnknownPage = useSectionPath() === undefined && atAnalytics;
  useEffect(() => {
    if (!atAnalytics) clearPageToken();
  }, [atAnalytics]);

  // A reader with a handoff token of another account sees only the analytics, without the desk of the logged-in user.
  if (atAnalytics && pageToken() && !isOwnAnalytics(session)) return <Outlet />;
  if (isUnknownPage && !token) return <Outlet />;
  if (!token) {
    return (
      <FocusShell aside={<AccountLink />}>
        <AccessDenied />
      </FocusShell>
    );
  }
  return (
    <QueryClientProvider client={queryClient}>
      {/* Remounted for another account, so that no state is shared. */}
      <Fragment key={user.email}>
        <Desk user={user} />
      </Fragment>
    </QueryClientProvider>
  );
}

/** Returns the path of the sidebar item of a page of the analytics or of the journal; undefined on other pages. */
function useSectionPath(): string | undefined {
  const { pathname } = useLocation();
  return pathname.startsWith(JOURNAL.to) ? JOURNAL.to : parseAnalyticsPage(pathname)?.to;
}

function useTitle(): string {
  const { pathname } = useLocation();
  if (pathname.startsWith(ANALYTICS.to)) return ANALYTICS.label;
  if (pathname.startsWith(JOURNAL.to)) return JOURNAL.label;
  return pathname.startsWith("/account") ? "Account" : "Dashboard";
}

function Desk({ user }: { user: User }) {
  const title = useTitle();
  const [params] = useSearchParams();
  const panel = parsePanel(params);
  const openPanel = panel === undefined ? undefined : deskPath(panel);
  const sectionPath = useSectionPath();
  const navigate = useNavigate();
  const [help, setHelp] = useState(false);
  const desk = useDeskImport(user.email);
  useShortcuts({
    n: useAddTrade(user.email),
    "g l": () => navigate(deskPath(TRADE_LOG)),
    "g a": () => navigate(ANALYTICS.to),
    "g j": () => navigate(JOURNAL.to),
    "?": () => setHelp(true),
  });
  return (
    <DeskShell
      userName={user.name}
      title={title}
      current={sectionPath ?? openPanel}
      onShortcuts={() => setHelp(true)}
      aside={
        <Suspense>
          <ConfirmReminder />
        </Suspense>
      }
    >
      <Outlet context={desk} />
      <PrefetchPages />
      <LeaveDialog
        items={desk.fileImports.items}
        isInside={isDeskPage}
        onLeft={(items) => announceInterrupted(queryClient, items)}
      />
      {help && (
        <Suspense>
          <ShortcutsDialog open onClose={() => setHelp(false)} />
        </Suspense>
      )}
    </DeskShell>
  );
}
