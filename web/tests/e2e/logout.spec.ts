import type { Page } from "@playwright/test";
import { importFile } from "./accounts.ts";
import { deskTest, expect } from "./test-fixtures.ts";
import { tableRows } from "./trade-table.ts";
import { ROWS, tradebookPath } from "./tradebooks.ts";

/** Reads a response from the HTTP cache of the browser; returns its text, or an empty one if it is not there. */
function readCache(page: Page, url: string, headers: Record<string, string>): Promise<string> {
  return page.evaluate(
    async ([url, headers]) => {
      try {
        const response = await fetch(url, { headers, cache: "only-if-cached", mode: "same-origin" });
        return response.ok ? await response.text() : "";
      } catch {
        return "";
      }
    },
    [url, headers] as const,
  );
}

deskTest(
  "[S11] after a logout the log is neither in the browser's cache nor behind the back button",
  async ({ page, account, expectedErrors }) => {
    // Reading from an empty cache fails.
    expectedErrors.push(/status of 504/, /ERR_CACHE_MISS/);
    await importFile(account, tradebookPath("zerodha", ROWS.few), "zerodha");
    const request = page.waitForRequest(/\/trades\/client\?/);
    await page.goto("/dashboard?panel=1");
    await expect(tableRows(page).first()).toBeVisible();
    const url = (await request).url();
    const sent = await (await request).allHeaders();
    const { authorization = "", accept = "*/*" } = sent;
    expect(await readCache(page, url, { authorization, accept })).toContain(account.email);

    await page.goto("/");
    const loggedOut = page.waitForResponse("**/auth/logout");
    await page.getByRole("link", { name: "Logout" }).click();
    await loggedOut;
    await expect(page.getByRole("link", { name: "Login/Signup" })).toBeVisible();
    await expect.poll(() => readCache(page, url, { authorization, accept })).toBe("");

    for (let steps = 0; steps < 3 && !page.url().includes("/dashboard"); steps += 1) await page.goBack();
    await expect(page).toHaveURL(/\/dashboard/);
    await expect(page.getByText("Access Denied").first()).toBeVisible();
    await expect(tableRows(page)).toHaveCount(0);
  },
);
