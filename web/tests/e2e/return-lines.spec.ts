import type { Page } from "@playwright/test";
import { importFile } from "./accounts.ts";
import { DELIVERY, INTRADAY, writeTradebook } from "./analytics-book.ts";
import { tabTo } from "./tab-to.ts";
import { deskTest, expect, expectAccessibleEverywhere } from "./test-fixtures.ts";

function clipboard(page: Page): Promise<string> {
  return page.evaluate(() => navigator.clipboard.readText());
}

deskTest(
  "the lines of the return are opened and copied with the keyboard on a phone of 320 px",
  async ({ page, account, context }) => {
    deskTest.slow();
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const gains = await writeTradebook(`${account.email}-gains`, DELIVERY);
    await importFile(account, gains, "zerodha", "equity");
    await page.setViewportSize({ width: 320, height: 740 });
    await page.goto("/analytics/tax");
    await expect(page.getByRole("heading", { name: "Lines of the return: ITR-2" })).toBeVisible();

    await page.locator("summary").filter({ hasText: "Lines of the return" }).focus();
    await page.keyboard.press("Enter");
    // 5 shares sold for 3,100 each.
    await page
      .locator("summary")
      .filter({ hasText: /^Schedule CG \d/ })
      .focus();
    await page.keyboard.press("Enter");
    const lines = page.getByRole("list", { name: "Schedule CG", exact: true }).getByRole("listitem");
    const value = lines.filter({ hasText: "A2a Full value of consideration" });
    await expect(value).toContainText("₹15,500");
    await expect(value).toContainText("EquityMFonSTTDtls.FullConsideration");
    await tabTo(page, "Copy 15500 for line A2a", "button");
    await page.keyboard.press("Enter");
    await expect(page.getByText("Copied 15500 for line A2a of Schedule CG.")).toBeVisible();
    expect(await clipboard(page)).toBe("15500");
    await expectAccessibleEverywhere(page, "return-lines");
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);

    // Intraday trades are a business, which needs another form.
    const intraday = await writeTradebook(`${account.email}-intraday`, INTRADAY);
    await importFile(account, intraday, "zerodha", "equity");
    await page.reload();
    await expect(page.getByRole("heading", { name: "Lines of the return: ITR-3" })).toBeVisible();
    await page.locator("summary").filter({ hasText: "Lines of the return" }).click();
    await page.locator("summary").filter({ hasText: "Part A-Trading Account" }).click();
    const account12 = page.getByRole("list", { name: "Part A-Trading Account" }).getByRole("listitem");
    // The turnover of 16 × 200 and 8 × 150.
    await expect(account12.first()).toContainText("₹4,400");
  },
);
