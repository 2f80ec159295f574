import { pageMeta } from "#lib/seo.ts";
import { ButtonLink } from "#ui/button.tsx";
import { StatusPage } from "#ui/status-page.tsx";
import { TickedEntry } from "#ui/ticked-entry.tsx";

export function meta() {
  return pageMeta({ title: "Success", description: "We received what you sent.", noindex: true });
}

export default function SuccessPage() {
  return (
    <StatusPage
      drawing={<TickedEntry />}
      title="Success"
      lines={["We received what you sent.", "There is nothing more to do here."]}
      action={<ButtonLink to="/">Go to Home</ButtonLink>}
    />
  );
}
