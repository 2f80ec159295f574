import type { ReactNode } from "react";
import { AccountFailure, AccountSection } from "#features/account/account-section.tsx";
import { AccountSkeleton } from "#features/account/account-skeleton.tsx";
import { PhoneVerification } from "#features/account/phone-verification.tsx";
import { ProfileForm } from "#features/account/profile-form.tsx";
import { type Account, useAccount } from "#features/account/use-account.ts";
import { date } from "#lib/format.ts";

export function ProfilePanel() {
  const { data, error, isFetching, refetch } = useAccount();
  if (error) return <AccountFailure error={error} onRetry={() => void refetch()} busy={isFetching} />;
  if (!data) return <AccountSkeleton label="Loading your profile" />;
  return (
    <>
      <AccountSection
        title="About you"
        text="Your name appears in the Trade Log and at the top of this page."
      >
        <ProfileForm account={data} />
      </AccountSection>
      {data.phoneNumber !== "" && (
        <AccountSection title="Login by phone" text="Only a verified number can be used to log in.">
          <PhoneVerification key={data.phoneNumber} account={data} />
        </AccountSection>
      )}
      <AccountSection title="Your account">
        <Facts account={data} />
      </AccountSection>
    </>
  );
}

function Facts({ account }: { account: Account }) {
  return (
    <dl className="overflow-hidden rounded-panel border border-line bg-surface">
      <Fact term="Email">
        {account.email}
        <StatusMark good={account.emailConfirmed}>
          {account.emailConfirmed ? "Confirmed" : "Not confirmed"}
        </StatusMark>
      </Fact>
      {account.phoneNumber !== "" && (
        <Fact term="Phone">
          <span className="figures">{account.phoneNumber}</span>
          <StatusMark good={account.phoneVerified}>
            {account.phoneVerified ? "Verified" : "Not verified"}
          </StatusMark>
        </Fact>
      )}
      <Fact term="Client ID">
        <span className="figures">{account.clientId}</span>
      </Fact>
      <Fact term="Google">
        {account.hasGoogle
          ? "Connected"
          : "Not connected. To connect it, use Continue with Google when you log in."}
      </Fact>
      <Fact term="Created">{date(account.createdAt)}</Fact>
    </dl>
  );
}

function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="flex min-h-11 border-line border-b text-ui last:border-b-0">
      <dt className="w-26 shrink-0 border-rule border-r px-4 py-2.5 text-ink-2">{term}</dt>
      <dd className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 [overflow-wrap:anywhere]">
        {children}
      </dd>
    </div>
  );
}

function StatusMark({ good, children }: { good: boolean; children: ReactNode }) {
  return (
    <span
      className={`rounded-tag px-2 py-0.5 font-semibold text-floor ${good ? "bg-gain-soft text-gain" : "bg-warn-soft text-warn"}`}
    >
      {children}
    </span>
  );
}
