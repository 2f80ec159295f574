import { defineConfig } from "vitest/config";
import { openingCards } from "./opening-cards.ts";

export default defineConfig({
  plugins: [openingCards()],
  test: {
    environment: "node",
    include: ["app/**/*.test.ts", "api-reference/**/*.test.ts", "scripts/**/*.test.ts"],
    // Outside India, because times must be shown in India time everywhere.
    env: { TZ: "America/New_York" },
  },
});
