import { useState } from "react";
import { Link } from "react-router";
import { ForgotForm } from "#features/session/forgot-form.tsx";
import { useHeadingFocus } from "#lib/heading-focus.ts";
import { pageMeta } from "#lib/seo.ts";
import { ButtonLink } from "#ui/button.tsx";
import { StatusPage } from "#ui/status-page.tsx";
import { TickedEntry } from "#ui/ticked-entry.tsx";

export function meta() {
  return pageMeta({
    title: "Forgot password",
    description: "Get a link to set a new password.",
    noindex: true,
  });
}

export default function ForgotPasswordPage() {
  const [sentTo, setSentTo] = useState("");
  useHeadingFocus(sentTo);
  if (sentTo) {
    return (
      <StatusPage
        drawing={<TickedEntry />}
        title="Check your inbox"
        lines={[
          `If ${sentTo} has an account, we have sent a link to it.`,
          "The link is valid for a short time and can be used once. Check your spam folder too.",
        ]}
        action={<ButtonLink to="/login">Back to login</ButtonLink>}
      />
    );
  }
  return (
    <>
      <h1 tabIndex={-1} className="text-h2">
        Forgot password
      </h1>
      <p className="mt-3 mb-4 text-ink-2">
        We will send you a link to set a new password. Remembered it?{" "}
        <Link to="/login" className="link">
          Login
        </Link>
      </p>
      <ForgotForm onSent={setSentTo} />
    </>
  );
}
