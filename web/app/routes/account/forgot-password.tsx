import { useState } from "react";
import { Link } from "react-router";
import { ForgotForm } from "#features/session/forgot-form.tsx";
import { pageMeta } from "#lib/seo.ts";
import { useNewHeading } from "#lib/use-new-heading.ts";
import { ButtonLink } from "#ui/button.tsx";
import { TickedEntry } from "#ui/drawings.tsx";
import { StatusPage } from "#ui/status-page.tsx";

export function meta() {
  return pageMeta({
    title: "Forgot password",
    description: "Get a link that sets a new password.",
    noindex: true,
  });
}

export default function ForgotPasswordPage() {
  const [sentTo, setSentTo] = useState("");
  useNewHeading(sentTo);
  if (sentTo) {
    return (
      <StatusPage
        drawing={<TickedEntry />}
        title="Look into your inbox"
        lines={[
          `If ${sentTo} has an account, a link is on its way there.`,
          "It is good for a short time, and once. Look into the spam folder as well.",
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
        We send you a link that sets a new one. Remembered it?{" "}
        <Link to="/login" className="link">
          Login
        </Link>
      </p>
      <ForgotForm onSent={setSentTo} />
    </>
  );
}
