import { pageMeta } from "#lib/seo.ts";
import { ButtonLink } from "#ui/button.tsx";
import { FirstLine } from "#ui/first-line.tsx";
import { StatusPage } from "#ui/status-page.tsx";

export function meta() {
  return pageMeta({
    title: "Coming Soon",
    description: "This feature is not available yet.",
    noindex: true,
  });
}

export default function ComingSoonPage() {
  return (
    <StatusPage
      drawing={<FirstLine />}
      title="Coming Soon"
      lines={[
        "This feature is not available yet.",
        "We are working on it. The trades that you record today will be included.",
      ]}
      action={<ButtonLink to="/">Go to Home</ButtonLink>}
    />
  );
}
