import { Link } from "react-router";
import { AccountFailure, AccountSection } from "#features/account/account-section.tsx";
import { AccountSkeleton } from "#features/account/account-skeleton.tsx";
import { Appearance } from "#features/account/appearance.tsx";
import { PasswordForm } from "#features/account/password-form.tsx";
import { SessionList } from "#features/account/session-list.tsx";
import { TwoStepSection } from "#features/account/two-step/two-step-section.tsx";
import { useAccount } from "#features/account/use-account.ts";

export function SecurityPanel() {
  const { data, error, isFetching, refetch } = useAccount();
  if (error) return <AccountFailure error={error} onRetry={() => void refetch()} busy={isFetching} />;
  if (!data) return <AccountSkeleton label="Loading your settings" />;
  return (
    <>
      <AccountSection title="Password" text="A new password logs out all other devices.">
        {data.hasPassword ? (
          <PasswordForm email={data.email} />
        ) : (
          <p className="text-ui">
            You log in with Google and have no password yet.{" "}
            <Link to="/forgot-password" className="link">
              Get a link to set one
            </Link>
          </p>
        )}
      </AccountSection>
      <TwoStepSection />
      <AccountSection
        title="Where you are logged in"
        text="If you do not recognise a device, log it out and change your password."
      >
        <SessionList />
      </AccountSection>
      <AccountSection title="Appearance" text="Stored in this browser only.">
        <Appearance />
      </AccountSection>
    </>
  );
}
