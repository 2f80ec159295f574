import { lazy, Suspense } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { AccountSkeleton } from "#features/account/account-skeleton.tsx";
import { AccountTabs, parseTab } from "#features/account/account-tabs.tsx";
import { clearSession } from "#features/session/session-store.ts";
import { PageFailure } from "#features/shell/page-failure.tsx";
import { date } from "#lib/format.ts";
import { announce } from "#lib/notices.ts";
import { pageMeta } from "#lib/seo.ts";

const ProfilePanel = lazy(async () => ({
  default: (await import("#features/account/profile-panel.tsx")).ProfilePanel,
}));
const SecurityPanel = lazy(async () => ({
  default: (await import("#features/account/security-panel.tsx")).SecurityPanel,
}));
const DataPanel = lazy(async () => ({
  default: (await import("#features/account/data-panel.tsx")).DataPanel,
}));

const Reauthentication = lazy(async () => ({
  default: (await import("#features/account/two-step/reauthentication.tsx")).Reauthentication,
}));

export function meta() {
  return pageMeta({ title: "Account", description: "Your profile, settings and data.", noindex: true });
}

export function ErrorBoundary() {
  return <PageFailure />;
}

export default function AccountPage() {
  const navigate = useNavigate();
  const [params] = useSearchParams();
  const tab = parseTab(params);

  async function handleClosed(deletedOn: string) {
    // Navigate first: without a session this page would show Access Denied.
    await navigate("/", { replace: true });
    clearSession();
    announce({
      tone: "info",
      title: `Your account is closed and will be deleted on ${date(deletedOn)}.`,
      text: "Log in before that day to restore it.",
    });
  }

  return (
    <>
      <h1 tabIndex={-1} className="flex min-h-11 items-center pt-1 text-[2rem]">
        Account
      </h1>
      <AccountTabs current={tab} />
      <div>
        <Suspense fallback={<AccountSkeleton label="Loading your account" />}>
          {tab === "profile" && <ProfilePanel />}
          {tab === "security" && <SecurityPanel />}
          {tab === "data" && <DataPanel onClosed={handleClosed} />}
          <Reauthentication />
        </Suspense>
      </div>
    </>
  );
}
