import { QueryClientProvider } from "@tanstack/react-query";
import { Fragment, lazy, Suspense, useEffect, useState } from "react";
import { Outlet, useLocation, useNavigate, useSearchParams } from "react-router";
import { LeaveDialog } from "#features/import/leave-dialog.tsx";
import { AccessDenied } from "#features/session/access-denied.tsx";
import { AccountLink } from "#features/session/account-link.tsx";
import { getSession, onAccountChange, useSession } from "#features/session/session-store.ts";
import type { User } from "#features/session/token.ts";
import { ANALYTICS, deskPath } from "#features/shell/desk-items.ts";
import { DeskShell } from "#features/shell/desk-shell.tsx";
import { FocusShell } from "#features/shell/focus-shell.tsx";
import { dropTokenOfPage, tokenOfPage } from "#lib/arrived-token.ts";
import { authority } from "#lib/authority.ts";
import { queryClient } from "#lib/query-client.ts";
import { useShortcuts } from "#lib/use-shortcuts.ts";
import { LoadingOverlay } from "#ui/loading-overlay.tsx";
import { Ahead } from "./ahead.tsx";
import { isDeskPage } from "./desk-pages.ts";
import { ownAnalytics } from "./own-analytics.ts";
import { parsePanel, TRADE_LOG } from "./panel.ts";
import { useAddTrade } from "./use-add-trade.ts";
import { tellBrokenOff, useDeskImport } from "./use-desk-import.ts";

const ShortcutsDialog = lazy(async () => ({
  default: (await import("#features/shortcuts/shortcuts-dialog.tsx")).ShortcutsDialog,
}));

const ConfirmReminder = lazy(async () => ({
  default: (await import("#features/account/confirm-reminder.tsx")).ConfirmReminder,
}));

// For as long as the page lives, also while no part of the desk is open: nobody's trades outlive the session.
onAccountChange(() => queryClient.clear());

/** A stored token that has run out is renewed, or given up, before anything of the desk is drawn. */
export async function clientLoader(): Promise<null> {
  if (getSession().token) await authority().freshToken();
  return null;
}
clientLoader.hydrate = true as const;

/** Panels, filters and order stand in the search; none of them asks for another look at the session. */
export function shouldRevalidate(): boolean {
  return false;
}

export function HydrateFallback() {
  // Of the address no more than the page: built once, it has to be the same with any search behind it.
  const title = useTitle();
  return (
    <DeskShell userName="Trader" title={title} current={title === ANALYTICS.label ? ANALYTICS.to : undefined}>
      <h1 className="sr-only">{title}</h1>
      <LoadingOverlay />
    </DeskShell>
  );
}

export default function DeskLayout() {
  const session = useSession();
  const { token, user } = session;
  const atAnalytics = useTitle() === ANALYTICS.label;
  useEffect(() => {
    if (!atAnalytics) dropTokenOfPage();
  }, [atAnalytics]);

  // Who was sent here from elsewhere sees the pages of the analytics alone, and nothing of who is signed in here.
  if (atAnalytics && tokenOfPage() && !ownAnalytics(session)) return <Outlet />;
  if (!token) {
    return (
      <FocusShell aside={<AccountLink />}>
        <AccessDenied />
      </FocusShell>
    );
  }
  return (
    <QueryClientProvider client={queryClient}>
      {/* Another account begins anew: its screens share nothing with those before. */}
      <Fragment key={user.email}>
        <Desk user={user} />
      </Fragment>
    </QueryClientProvider>
  );
}

function useTitle(): string {
  const { pathname } = useLocation();
  if (pathname.startsWith(ANALYTICS.to)) return ANALYTICS.label;
  return pathname.startsWith("/account") ? "Account" : "Dashboard";
}

function Desk({ user }: { user: User }) {
  const title = useTitle();
  const [params] = useSearchParams();
  const panel = parsePanel(params);
  const openPanel = panel === undefined ? undefined : deskPath(panel);
  const navigate = useNavigate();
  const [help, setHelp] = useState(false);
  const desk = useDeskImport(user.email);
  useShortcuts({
    n: useAddTrade(user.email),
    "g l": () => navigate(deskPath(TRADE_LOG)),
    "g a": () => navigate(ANALYTICS.to),
    "?": () => setHelp(true),
  });
  return (
    <DeskShell
      userName={user.name}
      title={title}
      current={title === ANALYTICS.label ? ANALYTICS.to : openPanel}
      onShortcuts={() => setHelp(true)}
      aside={
        <Suspense>
          <ConfirmReminder />
        </Suspense>
      }
    >
      <Outlet context={desk} />
      <Ahead />
      <LeaveDialog
        items={desk.importing.items}
        isInside={isDeskPage}
        onLeft={(items) => tellBrokenOff(queryClient, items)}
      />
      {help && (
        <Suspense>
          <ShortcutsDialog open onClose={() => setHelp(false)} />
        </Suspense>
      )}
    </DeskShell>
  );
}
