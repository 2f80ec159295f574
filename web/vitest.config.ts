import { defineConfig } from "vitest/config";
import { openingCards } from "./opening-cards.ts";

export default defineConfig({
  plugins: [openingCards()],
  test: {
    environment: "node",
    include: ["app/**/*.test.ts", "api-reference/**/*.test.ts", "scripts/**/*.test.ts"],
    // The zone of a reader abroad: what is shown in India time must not depend on it.
    env: { TZ: "America/New_York" },
  },
});
