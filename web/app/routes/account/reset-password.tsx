import { useEffect, useState } from "react";
import { ResetForm } from "#features/session/reset-form.tsx";
import { clearSession } from "#features/session/session-store.ts";
import { useHeadingFocus } from "#lib/heading-focus.ts";
import { pageMeta } from "#lib/seo.ts";
import { pageToken } from "#lib/url-token.ts";
import { ButtonLink } from "#ui/button.tsx";
import { MissingEntry } from "#ui/missing-entry.tsx";
import { StatusPage } from "#ui/status-page.tsx";
import { TickedEntry } from "#ui/ticked-entry.tsx";

export function meta() {
  return pageMeta({ title: "New password", description: "Set a new password.", noindex: true });
}

export default function ResetPasswordPage() {
  const [state, setState] = useState<"open" | "expired" | "done">("open");
  useHeadingFocus(state);
  const [token, setToken] = useState("");
  // The prerendered page has no token; it is known after mount.
  useEffect(() => {
    const urlToken = pageToken();
    setToken(urlToken);
    if (!urlToken) setState("expired");
  }, []);

  function finish() {
    // The server has ended all sessions of the account, including that of this browser.
    clearSession();
    setState("done");
  }

  if (state === "done") {
    return (
      <StatusPage
        drawing={<TickedEntry />}
        title="Password changed"
        lines={["You have been logged out on all devices.", "Log in with the new password."]}
        action={<ButtonLink to="/login">Login Now</ButtonLink>}
      />
    );
  }
  if (state === "expired") {
    return (
      <StatusPage
        drawing={<MissingEntry />}
        title="This link is no longer valid"
        lines={["It was already used, has expired, or is incomplete.", "Your password has not changed."]}
        action={<ButtonLink to="/forgot-password">Send a new link</ButtonLink>}
      />
    );
  }
  return (
    <>
      <h1 tabIndex={-1} className="text-h2">
        New password
      </h1>
      <p className="mt-3 mb-4 text-ink-2">You will be logged out on all devices, including this one.</p>
      <ResetForm token={token} onDone={finish} onExpired={() => setState("expired")} />
    </>
  );
}
