import { StrictMode, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { HydratedRouter } from "react-router/dom";
import { takeToken } from "#lib/arrived-token.ts";

// Before the router reads the address.
const token = takeToken();

startTransition(() => {
  hydrateRoot(
    document,
    <StrictMode>
      <HydratedRouter />
    </StrictMode>,
  );
});

if (token) void import("#features/session/arrive.ts").then(({ arrive }) => arrive(token));
