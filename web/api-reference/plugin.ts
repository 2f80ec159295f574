import type { Plugin } from "vite";
import { parse } from "yaml";
import { readContract } from "./read-contract.ts";

/** `openapi.yaml?reference`: the contract as the page at `/api/docs` shows it, worked out when the site is built. */
export function apiReference(): Plugin {
  return {
    name: "api-reference",
    enforce: "pre",
    transform(file, id) {
      if (!id.endsWith("openapi.yaml?reference")) return undefined;
      const reference = JSON.stringify(readContract(parse(file)));
      // Read as JSON it starts faster than as a literal.
      return {
        code: `export default JSON.parse(${JSON.stringify(reference)})`,
        moduleType: "js",
        map: null,
      };
    },
  };
}
