import type { Plugin } from "vite";
import { parse } from "yaml";
import { buildReference } from "./build-reference.ts";

/** Vite plugin for `openapi.yaml?reference`: the data of the page `/api/docs`, computed when the site is built. */
export function apiReference(): Plugin {
  return {
    name: "api-reference",
    enforce: "pre",
    transform(file, id) {
      if (!id.endsWith("openapi.yaml?reference")) return undefined;
      const reference = JSON.stringify(buildReference(parse(file)));
      // JSON.parse starts faster than an object literal of this size.
      return {
        code: `export default JSON.parse(${JSON.stringify(reference)})`,
        moduleType: "js",
        map: null,
      };
    },
  };
}
