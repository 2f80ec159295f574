import { StrictMode, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { HydratedRouter } from "react-router/dom";
import { takeUrlToken } from "#lib/url-token.ts";

// Before the router reads the URL.
const token = takeUrlToken();

startTransition(() => {
  hydrateRoot(
    document,
    <StrictMode>
      <HydratedRouter />
    </StrictMode>,
  );
});

if (token)
  void import("#features/session/url-login.ts").then(({ logInWithUrlToken }) => logInWithUrlToken(token));
