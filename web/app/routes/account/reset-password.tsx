import { useEffect, useState } from "react";
import { ResetForm } from "#features/session/reset-form.tsx";
import { forgetSession } from "#features/session/session-store.ts";
import { tokenOfPage } from "#lib/arrived-token.ts";
import { pageMeta } from "#lib/seo.ts";
import { useNewHeading } from "#lib/use-new-heading.ts";
import { ButtonLink } from "#ui/button.tsx";
import { MissingEntry, TickedEntry } from "#ui/drawings.tsx";
import { StatusPage } from "#ui/status-page.tsx";

export function meta() {
  return pageMeta({ title: "New password", description: "Set a new password.", noindex: true });
}

export default function ResetPasswordPage() {
  const [state, setState] = useState<"open" | "expired" | "done">("open");
  useNewHeading(state);
  const [token, setToken] = useState("");
  // Pages are built without an address: an opened link shows with the second render.
  useEffect(() => {
    const own = tokenOfPage();
    setToken(own);
    if (!own) setState("expired");
  }, []);

  function finish() {
    // The server has ended every sign-in of the account, the one of this browser among them.
    forgetSession();
    setState("done");
  }

  if (state === "done") {
    return (
      <StatusPage
        drawing={<TickedEntry />}
        title="Your new password holds"
        lines={["Every sign-in of this account has ended.", "Log in with the new password."]}
        action={<ButtonLink to="/login">Login Now</ButtonLink>}
      />
    );
  }
  if (state === "expired") {
    return (
      <StatusPage
        drawing={<MissingEntry />}
        title="This link is no longer good"
        lines={["It was used, it is too old, or a part of it is missing.", "Your password is as it was."]}
        action={<ButtonLink to="/forgot-password">Send a new one</ButtonLink>}
      />
    );
  }
  return (
    <>
      <h1 tabIndex={-1} className="text-h2">
        New password
      </h1>
      <p className="mt-3 mb-4 text-ink-2">It ends every sign-in of your account, this one too.</p>
      <ResetForm token={token} onDone={finish} onExpired={() => setState("expired")} />
    </>
  );
}
