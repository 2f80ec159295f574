import { SITE } from "#content/site.ts";
import { Button } from "#ui/button.tsx";
import { StatusPage } from "#ui/status-page.tsx";

/** Shown instead of a page that could not be rendered, for example because its script did not load. */
export function PageFailure() {
  return (
    <>
      <title>{`Something went wrong · ${SITE.name}`}</title>
      <StatusPage
        role="status"
        title="Something went wrong"
        lines={["This page could not be shown.", "Your trades are safe on the server. Load the page again."]}
        action={<Button onClick={() => window.location.reload()}>Reload</Button>}
      />
    </>
  );
}
