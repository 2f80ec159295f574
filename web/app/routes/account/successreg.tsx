import { pageMeta } from "#lib/seo.ts";
import { ButtonLink } from "#ui/button.tsx";
import { StatusPage } from "#ui/status-page.tsx";
import { TickedEntry } from "#ui/ticked-entry.tsx";

export function meta() {
  return pageMeta({
    title: "Registration Successful!",
    description: "Your account is ready.",
    noindex: true,
  });
}

export default function RegisteredPage() {
  return (
    <StatusPage
      drawing={<TickedEntry />}
      title="Registration Successful!"
      lines={[
        "Your account is ready.",
        "Log in with your email or phone number and add your first trades.",
        "We sent you an email with a link to confirm your address. You can do that later.",
      ]}
      action={<ButtonLink to="/login">Login Now</ButtonLink>}
    />
  );
}
