import type { Reference } from "../../../api-reference/read-contract.ts";

// See api-reference/plugin.ts.
const FILES = import.meta.glob<Reference>("../../../../openapi.yaml", {
  eager: true,
  query: "?reference",
  import: "default",
});

const [contract] = Object.values(FILES);
if (!contract) throw new Error("openapi.yaml is not where it was.");

/** The contract, as it was when the site was built. */
export const REFERENCE: Reference = contract;
