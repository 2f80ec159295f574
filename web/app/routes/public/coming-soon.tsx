import { pageMeta } from "#lib/seo.ts";
import { ButtonLink } from "#ui/button.tsx";
import { FirstLine } from "#ui/drawings.tsx";
import { StatusPage } from "#ui/status-page.tsx";

export function meta() {
  return pageMeta({
    title: "Coming Soon",
    description: "This part of the book is not written yet.",
    noindex: true,
  });
}

export default function ComingSoonPage() {
  return (
    <StatusPage
      drawing={<FirstLine />}
      title="Coming Soon"
      lines={[
        "This page of the book is still empty.",
        "We are working on it. What you put on the record today will be there to be read then.",
      ]}
      action={<ButtonLink to="/">Go to Home</ButtonLink>}
    />
  );
}
