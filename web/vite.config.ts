import { reactRouter } from "@react-router/dev/vite";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [tailwindcss(), reactRouter()],
  build: {
    // `light-dark()` stands in the style sheet as written: every one of these knows it.
    cssTarget: ["chrome123", "edge123", "firefox120", "safari17.5"],
    // Nothing as a data: URL: the content security policy takes fonts and styles from this server alone.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What most pages share goes out as one file: a dozen small ones compress worse.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "base", minShareCount: 7 }] } } },
  },
  server: {
    proxy: { "/api": process.env.TRADEBAHI_API ?? "http://127.0.0.1:8080" },
  },
});
