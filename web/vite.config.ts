import { fileURLToPath } from "node:url";
import { reactRouter } from "@react-router/dev/vite";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig } from "vite";
import { apiReference } from "./api-reference/plugin.ts";
import { openingCards } from "./opening-cards.ts";

/** Modules that every page needs: React, the router, and the imports of the root route. */
const BASE_MODULES = [
  /node_modules\/(react|react-dom|react-router|scheduler|clsx)\//,
  /lucide-react\/dist\/esm\/(createLucide|Icon|default|shared|context)/,
  /app\/lib\/(heading-focus|load-on-interaction|notices|seo|storage|theme|token-source|url-token)\./,
  /app\/ui\/(button|logo|missing-entry|not-found|spinner|status-page|theme-switch)\./,
  /app\/(content\/site|features\/shell\/(focus-shell|page-failure)|features\/session\/(session-store|token))\./,
];

const ROUTES = fileURLToPath(new URL("app/routes/", import.meta.url));

/**
 * Names the chunk of a route after its path, such as `public-careers` or `desk-layout`, with a suffix for an export that
 * React Router splits off. Other chunks have the name of their module.
 */
function chunkName({ facadeModuleId }: { facadeModuleId?: string | null }): string {
  const [path = "", query = ""] = facadeModuleId?.split("?") ?? [];
  if (!path.startsWith(ROUTES)) return "assets/[name]-[hash].js";
  const route = path
    .slice(ROUTES.length)
    .replace(/\.tsx?$/, "")
    .replaceAll("/", "-");
  const [, routeExport] = /route-chunk=(\w+)/.exec(query) ?? [];
  return `assets/${route}${routeExport ? `-${routeExport}` : ""}-[hash].js`;
}

export default defineConfig({
  plugins: [apiReference(), openingCards(), tailwindcss(), reactRouter()],
  build: {
    // The lowest versions that support `light-dark()`, so that it is not transformed.
    cssTarget: ["chrome123", "edge123", "firefox120", "safari17.5"],
    // The content security policy does not allow data: URLs for fonts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // The base modules are one chunk, because many small files compress worse. They are listed by name: grouping by
        // the number of users would load form code on pages without forms.
        codeSplitting: {
          groups: [
            { name: "base", test: (id) => BASE_MODULES.some((pattern) => pattern.test(id)) },
            // The form library, its resolver and valibot are one chunk, because every form needs all three.
            { name: "forms", test: /node_modules\/(valibot|@hookform\/resolvers)\// },
            { name: "company", test: /app\/(content\/company|lib\/json-ld-company)\./ },
          ],
        },
      },
    },
  },
  environments: {
    client: {
      build: { rolldownOptions: { output: { entryFileNames: chunkName, chunkFileNames: chunkName } } },
    },
  },
  server: {
    // Everything under /api except the page /api/docs.
    proxy: { "^/api/(?!docs)": process.env.TRADEBAHI_API ?? "http://127.0.0.1:8080" },
  },
});
