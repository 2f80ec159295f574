import { SITE } from "#content/site.ts";
import { ButtonLink } from "#ui/button.tsx";
import { MissingEntry } from "#ui/missing-entry.tsx";
import { StatusPage } from "#ui/status-page.tsx";

/** The 404 page of an unknown or closed opening. */
export function NoOpening() {
  return (
    <>
      <title>{`Page Not Found · ${SITE.name}`}</title>
      <meta name="robots" content="noindex" />
      <StatusPage
        drawing={<MissingEntry />}
        eyebrow="404"
        title="Page Not Found"
        lines={[
          "There is no opening at this address.",
          "It may be closed. See which openings are available now.",
        ]}
        action={
          <span className="flex flex-wrap gap-3">
            <ButtonLink to="/careers">See all openings</ButtonLink>
            <ButtonLink to="/" variant="secondary">
              Go to Home
            </ButtonLink>
          </span>
        }
      />
    </>
  );
}
