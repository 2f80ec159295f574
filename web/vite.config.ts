import { reactRouter } from "@react-router/dev/vite";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig } from "vite";
import { apiReference } from "./api-reference/plugin.ts";
import { openingCards } from "./opening-cards.ts";

/** What every page needs before anything else: React, the router, and what the root is made of. */
const BASE = [
  /node_modules\/(react|react-dom|react-router|scheduler|clsx)\//,
  /lucide-react\/dist\/esm\/(createLucide|Icon|default|shared|context)/,
  /app\/lib\/(arrived-token|authority|notices|seo|storage|theme|use-arrival)\./,
  /app\/ui\/(button|drawings|logo|not-found|spinner|status-page|theme-switch)\./,
  /app\/(content\/site|features\/shell\/(focus-shell|page-failure)|features\/session\/(session-store|token))\./,
];

export default defineConfig({
  plugins: [apiReference(), openingCards(), tailwindcss(), reactRouter()],
  build: {
    // `light-dark()` stands in the style sheet as written: every one of these knows it.
    cssTarget: ["chrome123", "edge123", "firefox120", "safari17.5"],
    // Nothing as a data: URL: the content security policy takes fonts and styles from this server alone.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // As one file: a dozen small ones compress worse. By name, not by how many pages share a thing: with every
    // page that has a form, forms would come nearer to being loaded by those that have none.
    rolldownOptions: {
      output: {
        codeSplitting: { groups: [{ name: "base", test: (id) => BASE.some((part) => part.test(id)) }] },
      },
    },
  },
  server: {
    // All but the page among them.
    proxy: { "^/api/(?!docs)": process.env.TRADEBAHI_API ?? "http://127.0.0.1:8080" },
  },
});
