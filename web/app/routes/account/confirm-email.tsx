import { useEffect, useState } from "react";
import { api } from "#lib/api.ts";
import { useHeadingFocus } from "#lib/heading-focus.ts";
import { failureMessage, NO_ANSWER } from "#lib/problem.ts";
import { pageMeta } from "#lib/seo.ts";
import { pageToken } from "#lib/url-token.ts";
import { Button, ButtonLink } from "#ui/button.tsx";
import { FormFailure } from "#ui/form-failure.tsx";
import { MissingEntry } from "#ui/missing-entry.tsx";
import { StatusPage } from "#ui/status-page.tsx";
import { TickedEntry } from "#ui/ticked-entry.tsx";

export function meta() {
  return pageMeta({ title: "Confirm your email", description: "Confirm your email address.", noindex: true });
}

/** Confirms with a button, because email programs open links automatically. */
export default function ConfirmEmailPage() {
  const [state, setState] = useState<"open" | "expired" | "done">("open");
  const [pending, setPending] = useState(false);
  useHeadingFocus(state);
  const [failure, setFailure] = useState<string>();
  // The prerendered page has no token; it is known after mount.
  useEffect(() => {
    if (!pageToken()) setState("expired");
  }, []);

  async function confirm() {
    setPending(true);
    setFailure(undefined);
    try {
      const { error, response } = await api.POST("/auth/confirm-email", { body: { token: pageToken() } });
      if (response.ok) return setState("done");
      if (response.status < 429) return setState("expired");
      setFailure(failureMessage(response, error));
    } catch (error) {
      console.error(error);
      setFailure(NO_ANSWER);
    }
    setPending(false);
  }

  if (state === "done") {
    return (
      <StatusPage
        drawing={<TickedEntry />}
        title="Your email address is confirmed"
        lines={["We can now contact you when it matters."]}
        action={<ButtonLink to="/dashboard">Go to Dashboard</ButtonLink>}
      />
    );
  }
  if (state === "expired") {
    return (
      <StatusPage
        drawing={<MissingEntry />}
        title="This link is no longer valid"
        lines={[
          "It has expired or is incomplete.",
          "Log in, press Confirm your email at the top of the page, and then Send again.",
        ]}
        action={<ButtonLink to="/account?tab=profile">Send a new link</ButtonLink>}
      />
    );
  }
  return (
    <>
      <StatusPage
        title="Confirm your email"
        lines={["Press the button to confirm your email address.", "You can use your account without it."]}
        action={
          <Button pending={pending} onClick={confirm}>
            Confirm email address
          </Button>
        }
      />
      <FormFailure>{failure}</FormFailure>
    </>
  );
}
