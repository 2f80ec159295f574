import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { defineConfig } from "@playwright/test";

// Chromium has no sandbox for root; as anyone else it keeps its own.
const asRoot = process.getuid?.() === 0;
// Left out, it is the browser that Playwright installed.
const executablePath =
  process.env.CHROMIUM_PATH || onPath("chromium") || onPath("chromium-browser") || onPath("google-chrome");

/** The built site on the real server, which the setup starts and stops. `just e2e` builds both first. */
export default defineConfig({
  testDir: "tests/e2e",
  globalSetup: "./tests/e2e/global-setup.ts",
  forbidOnly: true,
  fullyParallel: true,
  retries: 0,
  workers: 2,
  // For a machine that is busy with other things; none of it is waited for where all is well.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: [["list"]],
  use: {
    locale: "en-IN",
    // A reader abroad: what is shown in India time must not depend on where one reads it.
    timezoneId: "America/New_York",
    launchOptions: {
      ...(executablePath && { executablePath }),
      args: [
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        ...(asRoot ? ["--no-sandbox"] : []),
      ],
    },
  },
});

function onPath(name: string): string | undefined {
  return (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
