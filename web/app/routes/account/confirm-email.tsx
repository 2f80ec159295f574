import { useEffect, useState } from "react";
import { api } from "#lib/api.ts";
import { tokenOfPage } from "#lib/arrived-token.ts";
import { failureLine, NO_ANSWER } from "#lib/problem.ts";
import { pageMeta } from "#lib/seo.ts";
import { useNewHeading } from "#lib/use-new-heading.ts";
import { Button, ButtonLink } from "#ui/button.tsx";
import { MissingEntry, TickedEntry } from "#ui/drawings.tsx";
import { FormFailure } from "#ui/form-failure.tsx";
import { StatusPage } from "#ui/status-page.tsx";

export function meta() {
  return pageMeta({ title: "Confirm your email", description: "Confirm your email address.", noindex: true });
}

/** By a button: mail programs open links to look at them, and confirm nothing by that. */
export default function ConfirmEmailPage() {
  const [state, setState] = useState<"open" | "expired" | "done">("open");
  const [pending, setPending] = useState(false);
  useNewHeading(state);
  const [failure, setFailure] = useState<string>();
  // Pages are built without an address: an opened link shows with the second render.
  useEffect(() => {
    if (!tokenOfPage()) setState("expired");
  }, []);

  async function confirm() {
    setPending(true);
    setFailure(undefined);
    try {
      const { error, response } = await api.POST("/auth/confirm-email", { body: { token: tokenOfPage() } });
      if (response.ok) return setState("done");
      if (response.status < 429) return setState("expired");
      setFailure(failureLine(response, error));
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
        title="Your address is confirmed"
        lines={["We can reach you now when it matters."]}
        action={<ButtonLink to="/dashboard">Go to Dashboard</ButtonLink>}
      />
    );
  }
  if (state === "expired") {
    return (
      <StatusPage
        drawing={<MissingEntry />}
        title="This link is no longer good"
        lines={[
          "It is too old, or a part of it is missing.",
          "Log in and press Send again in the line about your email address.",
        ]}
        action={<ButtonLink to="/account?tab=profile">Send a new one</ButtonLink>}
      />
    );
  }
  return (
    <>
      <StatusPage
        title="Confirm your email"
        lines={["One press, and we know that letters reach you.", "Your account book works without it, too."]}
        action={
          <Button pending={pending} onClick={confirm}>
            Confirm my address
          </Button>
        }
      />
      <FormFailure>{failure}</FormFailure>
    </>
  );
}
