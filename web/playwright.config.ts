import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { defineConfig } from "@playwright/test";

// Chromium does not support its sandbox as root.
const isRoot = process.getuid?.() === 0;
// Without a path, Playwright uses the browser it installed.
const executablePath =
  process.env.CHROMIUM_PATH ||
  // The same tests took 40 % less time in it.
  onPath("chromium-headless-shell") ||
  onPath("chromium") ||
  onPath("chromium-browser") ||
  onPath("google-chrome");

/** Tests of the built site on the real server, which the setup starts and stops. `just e2e` builds both first. */
export default defineConfig({
  testDir: "tests/e2e",
  globalSetup: "./tests/e2e/global-setup.ts",
  forbidOnly: true,
  fullyParallel: true,
  // The report lists a test that passed only when repeated as flaky: its cause must be found too.
  retries: 1,
  workers: 2,
  // Generous timeouts for a busy machine.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: [["list"]],
  use: {
    locale: "en-IN",
    // Outside India, because times must be shown in India time everywhere.
    timezoneId: "America/New_York",
    launchOptions: {
      ...(executablePath && { executablePath }),
      args: [
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        ...(isRoot ? ["--no-sandbox"] : []),
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
