import { Link } from "react-router";
import { AccountFailure } from "#features/account/account-failure.tsx";
import { AccountSection } from "#features/account/account-section.tsx";
import { AccountSkeleton } from "#features/account/account-skeleton.tsx";
import { Appearance } from "#features/account/appearance.tsx";
import { PasswordForm } from "#features/account/password-form.tsx";
import { SignInList } from "#features/account/sign-in-list.tsx";
import { useAccount } from "#features/account/use-account.ts";

export function SecurityPanel() {
  const { data, error, isFetching, refetch } = useAccount();
  if (error) return <AccountFailure error={error} onRetry={() => void refetch()} busy={isFetching} />;
  if (!data) return <AccountSkeleton label="Loading your settings" />;
  return (
    <>
      <AccountSection title="Password" text="A new one ends every other sign-in.">
        {data.hasPassword ? (
          <PasswordForm email={data.email} />
        ) : (
          <p className="text-ui">
            You log in with Google, and have no password yet.{" "}
            <Link to="/forgot-password" className="link">
              Get a link that sets one
            </Link>
          </p>
        )}
      </AccountSection>
      <AccountSection
        title="Where you are logged in"
        text="Something you do not know? End it, and change your password."
      >
        <SignInList />
      </AccountSection>
      <AccountSection title="Appearance" text="Kept in this browser alone.">
        <Appearance />
      </AccountSection>
    </>
  );
}
