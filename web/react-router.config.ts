import { readdirSync } from "node:fs";
import { basename } from "node:path";
import type { Config } from "@react-router/dev/config";
import { ANALYTICS_PAGES } from "./app/lib/analytics-paths.ts";

const openings = readdirSync(new URL("../crates/careers/openings", import.meta.url))
  .filter((file) => file.endsWith(".json"))
  .map((file) => basename(file, ".json"));

export default {
  ssr: false,
  // Every path is prerendered to a file. For other paths the server sends the fallback page with status 404.
  prerender: ({ getStaticPaths }) => [
    ...getStaticPaths(),
    ...ANALYTICS_PAGES.map(({ to }) => to),
    ...["/analytics/positions", "/analytics/strategies"],
    ...["/journal", "/journal/review", "/journal/playbooks"],
    ...openings.flatMap((id) => [`/job-description/${id}`, `/apply/${id}`]),
  ],
} satisfies Config;
