import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    environment: "node",
    include: ["app/**/*.test.ts", "scripts/**/*.test.ts"],
    // The zone of a reader abroad: what is shown in India time must not depend on it.
    env: { TZ: "America/New_York" },
  },
});
