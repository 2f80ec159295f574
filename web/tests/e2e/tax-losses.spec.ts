import { importFile } from "./accounts.ts";
import { type Fill, writeTradebook } from "./analytics-book.ts";
import { tabTo } from "./tab-to.ts";
import { deskTest, expect, expectAccessibleEverywhere } from "./test-fixtures.ts";

/** Returns a purchase and a sale of 100 shares on one day. */
function intraday(day: string, bought: number, sold: number): Fill[] {
  return [
    { symbol: "INFY", side: "buy", quantity: 100, price: bought, at: `${day}T10:00:00` },
    { symbol: "INFY", side: "sell", quantity: 100, price: sold, at: `${day}T11:00:00` },
  ];
}

deskTest(
  "losses from before the log are entered with the keyboard and set off",
  async ({ page, account }) => {
    deskTest.slow();
    // An intraday loss of 1,000 in 2024-25 and a profit of 5,000 in 2025-26, before charges.
    const fills = [...intraday("2024-06-04", 1500, 1490), ...intraday("2025-06-04", 1500, 1550)];
    await importFile(account, await writeTradebook(`${account.email}-losses`, fills), "zerodha", "equity");
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto("/analytics/tax");
    const schedule = page.getByRole("region", { name: "Schedule of losses" });
    await expect(schedule.getByRole("row").filter({ hasText: "Intraday loss, FY 2024–25" })).toContainText(
      "use until tax year 2028–29",
    );

    await tabTo(page, "Losses before your log", "button");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("heading", { name: "Losses from before your log" })).toBeVisible();
    await tabTo(page, "Add a loss", "button");
    await page.keyboard.press("Enter");
    const kind = page.getByRole("combobox", { name: "Kind of loss" });
    await expect(kind).toBeFocused();
    await kind.selectOption({ label: "Intraday (speculative)" });
    await page.getByRole("combobox", { name: "Year of the loss" }).selectOption({ label: "FY 2022–23" });
    const amount = page.getByRole("textbox", { name: "Amount left (₹)" });
    await amount.fill("-750");
    await page.keyboard.press("Enter");
    const problem = page.getByRole("alert").filter({ hasText: "There is a problem" });
    await expect(problem).toBeFocused();
    await problem.getByRole("link", { name: /^Loss 1: Enter rupees above 0/ }).click();
    await expect(amount).toBeFocused();
    await expectAccessibleEverywhere(page, "losses-form");
    await amount.fill("₹ 750.50");
    await page.keyboard.press("Enter");
    await expect(page.getByText("Losses saved.")).toBeVisible();
    await expect(page.getByRole("button", { name: "Losses before your log" })).toBeFocused();

    // The older loss first.
    const setOffs = page.getByRole("list", { name: "Set-off" }).getByRole("listitem");
    await expect(setOffs.first()).toContainText(
      "₹750.50 of the intraday loss of FY 2022–23 set off against intraday profit.",
    );
    await expect(setOffs.nth(1)).toContainText("of the intraday loss of FY 2024–25");
    const entered = schedule.getByRole("row").filter({ hasText: "Intraday loss, FY 2022–23" });
    await expect(entered).toContainText("use until tax year 2026–27 · entered by you");
    await expectAccessibleEverywhere(page, "tax-losses");
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    expect(height).toBeLessThan(2_500);

    // In the year before, the loss was not used, and the log has its own loss.
    await page.getByRole("combobox", { name: "Year" }).selectOption({ label: "FY 2024–25" });
    await expect(setOffs).toHaveCount(0);
    // The names of the columns, and two losses with the other amounts below each.
    await expect(schedule.getByRole("row")).toHaveCount(5);
  },
);
