import { type FormEvent, useState } from "react";
import { PRIVACY_NOTICE } from "#content/privacy-notice.ts";
import { PrivacyNotice } from "#features/session/privacy-notice.tsx";
import { startSession } from "#features/session/session-store.ts";
import { api } from "#lib/api.ts";
import { failureMessage, NO_ANSWER } from "#lib/problem.ts";
import { Button } from "#ui/button.tsx";
import { FormFailure } from "#ui/form-failure.tsx";

/** Shows the privacy notice at the first login with a Google account, before its account is created. */
export function GoogleSignupForm({ onLoggedIn }: { onLoggedIn: () => void }) {
  const [pending, setPending] = useState(false);
  const [failure, setFailure] = useState<string>();

  async function send(event: FormEvent) {
    event.preventDefault();
    setPending(true);
    setFailure(undefined);
    try {
      const body = { noticeVersion: PRIVACY_NOTICE.version };
      const { data, error, response } = await api.POST("/auth/google/register", { body });
      if (data && startSession(data.data.token)) return onLoggedIn();
      setFailure(failureMessage(response, error));
    } catch (error) {
      console.error(error);
      setFailure(NO_ANSWER);
    }
    setPending(false);
  }

  return (
    <form method="post" className="border-rule border-l pl-4 sm:-ml-8 sm:pl-8" onSubmit={send}>
      <p className="mt-3">
        Your Google account has no account here yet. Nothing is stored until you create one; it gets the name
        and the email address of your Google account.
      </p>
      <PrivacyNotice />
      <FormFailure>{failure}</FormFailure>
      <div className="mt-7 flex flex-wrap items-center gap-x-6 gap-y-3">
        <Button type="submit" pending={pending}>
          Create account
        </Button>
        <a href="/login" className="link text-ui">
          Cancel
        </a>
      </div>
    </form>
  );
}
