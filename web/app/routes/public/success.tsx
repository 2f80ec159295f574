import { pageMeta } from "#lib/seo.ts";
import { ButtonLink } from "#ui/button.tsx";
import { TickedEntry } from "#ui/drawings.tsx";
import { StatusPage } from "#ui/status-page.tsx";

export function meta() {
  return pageMeta({ title: "Success", description: "What you sent has arrived.", noindex: true });
}

export default function SuccessPage() {
  return (
    <StatusPage
      drawing={<TickedEntry />}
      title="Success"
      lines={["It is on the record.", "What you sent has arrived, and there is nothing more to do here."]}
      action={<ButtonLink to="/">Go to Home</ButtonLink>}
    />
  );
}
