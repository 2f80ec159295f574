import { ButtonLink } from "#ui/button.tsx";
import { MissingEntry } from "#ui/missing-entry.tsx";
import { StatusPage } from "#ui/status-page.tsx";

export function NotFound() {
  return (
    <StatusPage
      drawing={<MissingEntry />}
      eyebrow="404"
      title="Page Not Found"
      lines={["There is no page at this address.", "It may have moved, or the link may be wrong."]}
      action={<ButtonLink to="/">Go to Home</ButtonLink>}
    />
  );
}
