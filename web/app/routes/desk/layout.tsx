import { QueryClientProvider } from "@tanstack/react-query";
import { Fragment, lazy, Suspense, useState } from "react";
import { Outlet, useNavigate, useSearchParams } from "react-router";
import { AccessDenied } from "#features/session/access-denied.tsx";
import { AccountLink } from "#features/session/account-link.tsx";
import { getSession, onAccountChange, useSession } from "#features/session/session-store.ts";
import type { User } from "#features/session/token.ts";
import { deskPath } from "#features/shell/desk-items.ts";
import { DeskShell } from "#features/shell/desk-shell.tsx";
import { FocusShell } from "#features/shell/focus-shell.tsx";
import { authority } from "#lib/authority.ts";
import { queryClient } from "#lib/query-client.ts";
import { useShortcuts } from "#lib/use-shortcuts.ts";
import { LoadingOverlay } from "#ui/loading-overlay.tsx";
import { parsePanel, TRADE_LOG } from "./panel.ts";
import { useAddTrade } from "./use-add-trade.ts";
import { useDeskImport } from "./use-desk-import.ts";

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
  return (
    <DeskShell userName="Trader" current={undefined}>
      <h1 className="sr-only">Dashboard</h1>
      <LoadingOverlay />
    </DeskShell>
  );
}

export default function DeskLayout() {
  const { token, user } = useSession();
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

function Desk({ user }: { user: User }) {
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const [help, setHelp] = useState(false);
  const desk = useDeskImport(user.email);
  useShortcuts({
    n: useAddTrade(user.email),
    "g l": () => navigate(deskPath(TRADE_LOG)),
    "?": () => setHelp(true),
  });
  return (
    <DeskShell
      userName={user.name}
      current={parsePanel(params)}
      onShortcuts={() => setHelp(true)}
      aside={
        <Suspense>
          <ConfirmReminder />
        </Suspense>
      }
    >
      <Outlet context={desk} />
      {help && (
        <Suspense>
          <ShortcutsDialog open onClose={() => setHelp(false)} />
        </Suspense>
      )}
    </DeskShell>
  );
}
