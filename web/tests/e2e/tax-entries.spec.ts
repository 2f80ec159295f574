import { bearer, importFile } from "./accounts.ts";
import { type Fill, writeTradebook } from "./analytics-book.ts";
import { tabTo } from "./tab-to.ts";
import { deskTest, expect, expectAccessibleEverywhere } from "./test-fixtures.ts";

/** Delivered shares: bought for 1,00,000 and sold for 1,20,000 within the year. */
const FILLS: Fill[] = [
  { symbol: "XYZ", side: "buy", quantity: 100, price: 1000, at: "2025-05-05T10:00:00" },
  { symbol: "XYZ", side: "sell", quantity: 100, price: 1200, at: "2025-06-05T10:00:00" },
];

deskTest(
  "dividends, AIS totals and other income are entered with the keyboard and compared",
  async ({ page, account }) => {
    deskTest.slow();
    await importFile(account, await writeTradebook(`${account.email}-entries`, FILLS), "zerodha", "equity");
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto("/analytics/tax");
    await page.getByRole("combobox", { name: "Year" }).selectOption({ label: "FY 2025–26" });
    const panel = page.locator("summary").filter({ hasText: "Dividends, AIS and broker reports" });
    await panel.focus();
    await page.keyboard.press("Enter");
    await expect(page.getByText("Dividends: none entered.")).toBeVisible();

    await tabTo(page, "Enter salary, dividends, AIS", "button");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("heading", { name: "Dividends", exact: true })).toBeVisible();
    await tabTo(page, "Add a dividend", "button");
    await page.keyboard.press("Enter");
    const day = page.getByLabel("Day of payment");
    await expect(day).toBeFocused();
    await day.fill("2025-08-14");
    await page.getByRole("textbox", { name: "Company" }).fill("Infosys");
    const amount = page.getByRole("textbox", { name: "Dividend (₹)" });
    await amount.fill("-5");
    await page.keyboard.press("Enter");
    const problem = page.getByRole("alert").filter({ hasText: "There is a problem" });
    await expect(problem).toBeFocused();
    await problem.getByRole("link", { name: /^Dividend 1: the amount cannot be negative/ }).click();
    await expect(amount).toBeFocused();
    await expectAccessibleEverywhere(page, "tax-entries-form");
    await amount.fill("₹2,150.50");
    // Another page and back keeps what was typed.
    const pages = page.getByRole("navigation", { name: "Pages" });
    await pages.getByRole("link", { name: "Trades" }).click();
    // The address changes before the page does.
    await expect(panel).toBeHidden();
    await page.goBack();
    await panel.click();
    await page.getByRole("button", { name: "Enter salary, dividends, AIS" }).click();
    await expect(amount).toHaveValue("₹2,150.50");
    await page.getByRole("textbox", { name: "Tax deducted (₹)", exact: true }).fill("215");
    await page.getByRole("textbox", { name: "Sale value, short term (₹)" }).fill("1,19,500");
    await page.getByRole("textbox", { name: "Salary or pension (₹)" }).fill("20,00,000");
    await page.keyboard.press("Enter");
    await expect(page.getByText("Figures of FY 2025–26 saved.")).toBeVisible();
    await expect(page.getByRole("button", { name: "Enter salary, dividends, AIS" })).toBeFocused();

    await expect(
      page.getByRole("heading", { name: "1 of 1 totals differ from AIS or broker reports" }),
    ).toBeVisible();
    const comparison = page.getByRole("list", { name: "Comparison" }).getByRole("listitem");
    await expect(comparison).toContainText("Stated ₹1,19,500.00, here ₹1,20,000.00");
    await expect(comparison).toContainText("AIS estimates the sale value with a price of the day");
    const dividends = page.getByRole("region", { name: "Dividends by period of advance tax" });
    await expect(dividends.getByRole("row").filter({ hasText: "15 Sep" })).toContainText("₹2,150.50");
    // New regime: 2,00,000 on 20 lakh, and 30 % would be wrong for the gain at 20 %.
    await page
      .locator("summary")
      .filter({ hasText: /^Estimated/ })
      .click();
    const tax = page.getByRole("region", { name: "Estimated tax" });
    await expect(tax.getByRole("row").filter({ hasText: "at 20%" })).toBeVisible();
    await expectAccessibleEverywhere(page, "tax-entries");

    // The figures come back into the form, and belong to their year.
    await page.getByRole("button", { name: "Enter salary, dividends, AIS" }).click();
    await expect(page.getByRole("textbox", { name: "Company" })).toHaveValue("Infosys");
    await page.getByRole("button", { name: "Remove dividend 1" }).click();
    // Meanwhile another tab stores other figures: they are not replaced without a question.
    const elsewhere = { kind: "salary", broker: "zerodha", amount: 1_800_000 };
    const put = await account.request.put("/api/v1/analytics/tax/entries/2025-26", {
      headers: bearer(account.token),
      data: { entries: [elsewhere] },
    });
    expect(put.status()).toBe(200);
    await page.getByRole("button", { name: /^Save figures/ }).click();
    await expect(page.getByText("These figures were changed in another tab")).toBeVisible();
    await page.getByRole("textbox", { name: "Sale value, short term (₹)" }).fill("");
    await page.getByRole("button", { name: /^Save figures/ }).click();
    await expect(page.getByText("Dividends: none entered.")).toBeVisible();
    await expect(comparison).toHaveCount(0);
  },
);
