import type { Page } from "@playwright/test";
import { type Account, getClient } from "./accounts.ts";
import { expect, expectAccessible, deskTest as test } from "./test-fixtures.ts";
import { readTable, submitFile } from "./trade-table.ts";
import { growwFnoPath, xlsFixturePath } from "./tradebooks.ts";

const report = (page: Page) => page.getByRole("region", { name: "Import report" });
const step = (page: Page) => page.getByRole("list", { name: "Steps of an import" }).locator("[aria-current]");

/** The trades of Groww's report, newest first; the report has dates without times. */
const LOG = [
  ["BUY", "SENSEX 13 Nov 2025\u00a084,000 CE", "20", "₹15.25", "12 Nov 2025", "Groww"],
  ["BUY", "BANKNIFTY 25 Nov 2025\u00a058,700 PE", "35", "₹90.00", "12 Nov 2025", "Groww"],
  ["SELL", "BANKNIFTY 25 Nov 2025\u00a058,700 PE", "35", "₹120.50", "10 Nov 2025", "Groww"],
  ["SELL", "NIFTY 16 Oct 2025\u00a023,900 CE", "75", "₹120.40", "15 Oct 2025", "Groww"],
  ["SELL", "NIFTY 16 Oct 2025\u00a023,900 CE", "75", "₹120.40", "15 Oct 2025", "Groww"],
  ["BUY", "NIFTY 16 Oct 2025\u00a023,900 CE", "75", "₹101.05", "14 Oct 2025", "Groww"],
  ["BUY", "NIFTY 16 Oct 2025\u00a023,900 CE", "75", "₹101.05", "14 Oct 2025", "Groww"],
  ["SELL", "EICHERMOT 30 Sep 2025\u00a0FUT", "350", "₹5,450.00", "17 Sep 2025", "Groww"],
  ["BUY", "EICHERMOT 30 Sep 2025\u00a0FUT", "350", "₹5,400.10", "15 Sep 2025", "Groww"],
];

test.beforeEach(async ({ page }) => {
  await page.goto("/dashboard?panel=0");
  await expect(page.getByRole("heading", { level: 1, name: "Add Trades" })).toBeVisible();
  await page.getByLabel("Trade type").selectOption({ label: "Future & Option" });
});

test("Groww's F&O report is checked, reviewed and shown in the log with its contracts", async ({
  page,
  account,
}) => {
  await expect(step(page)).toHaveText(/File/);
  await submitFile(page, growwFnoPath(), "Groww");
  await expect(page.getByRole("heading", { name: "Review the rows" })).toBeFocused();
  await expect(step(page)).toHaveText(/Review/);
  await expect(page.getByText("9 trades will be imported. 1 row is skipped.")).toBeVisible();
  expect((await getClient(account.request, account.token)).trades).toEqual([]);
  const sample = page.getByRole("table", { name: "First trades of the file" });
  await expect(sample.getByRole("row")).toHaveCount(10);
  await expect(sample.getByRole("row").nth(1)).toContainText("EICHERMOT 30 Sep 2025 FUT");
  await expectAccessible(page);

  await page.getByRole("button", { name: "Import 9 trades" }).click();
  await expect(report(page)).toContainText("9 trades added, 1 row was skipped");
  await expect(report(page)).toContainText("Groww, Future & Option");
  await expectContracts(page, account);
});

test("the same report as .xls is imported without a review and adds nothing", async ({ page, account }) => {
  await submitFile(page, xlsFixturePath("groww-fno"), "Groww");
  await expect(report(page)).toContainText("9 trades added");
  await expectContracts(page, account);

  await page.getByRole("link", { name: "Add Trades" }).click();
  await page
    .getByRole("region", { name: "Add Trades" })
    .getByLabel("Trade type")
    .selectOption({ label: "Future & Option" });
  await submitFile(page, growwFnoPath(), "Groww");
  await page.getByRole("button", { name: "Finish" }).click();
  await expect(report(page)).toContainText("No trades added, 9 were already there, 1 row was skipped");
  expect((await getClient(account.request, account.token)).trades).toHaveLength(9);
});

/** On the page and in the API response. */
async function expectContracts(page: Page, account: Account): Promise<void> {
  expect(await readTable(page)).toEqual(LOG);
  const { trades } = await getClient(account.request, account.token);
  expect(trades[1]?.contract).toEqual({
    underlying: "BANKNIFTY",
    expiry: "2025-11-25",
    kind: "PE",
    strike: 58700,
  });
}
