import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { importFile } from "./accounts.ts";
import { expect, expectAccessible, holdRequests, deskTest as test } from "./test-fixtures.ts";
import { submitFile, tradeTable } from "./trade-table.ts";
import { expectedPrice, ROWS, readTradesOf, tradebookPath } from "./tradebooks.ts";

const LOG = "/dashboard?panel=1";
const counted = (page: Page, text: string | RegExp) =>
  expect(page.getByRole("status").filter({ hasText: text })).toBeVisible();

test.beforeEach(async ({ account, page }) => {
  await importFile(account, tradebookPath("zerodha", ROWS.some), "zerodha");
  await page.goto(LOG);
  await expect(tradeTable(page)).toBeVisible();
});

test("[2H-05] [7A-08] See Analytics is at the top and at the bottom and opens the analytics", async ({
  page,
}) => {
  const buttons = page.getByRole("button", { name: "See Analytics" });
  await expect(buttons).toHaveCount(2);
  const table = await tradeTable(page).boundingBox();
  const [top, bottom] = [await buttons.first().boundingBox(), await buttons.last().boundingBox()];
  expect(top?.y ?? 0).toBeLessThan(table?.y ?? 0);
  expect(bottom?.y ?? 0).toBeGreaterThan(table?.y ?? 0);
  for (const button of [buttons.first(), buttons.last()]) {
    const handed = page.waitForRequest(/\/analytics\?token=[^&]+$/);
    await button.click();
    await handed;
    await expect(page).toHaveURL(/\/analytics/);
    await page.goBack();
    await expect(tradeTable(page)).toBeVisible();
  }
});

test("[5X-08] [8E-20] See Analytics without a token shows a message at the button", async ({
  page,
  expectedErrors,
}) => {
  expectedErrors.push(/status of 401/);
  const problem = { type: "about:blank", title: "Signed out", status: 401, detail: "x", instance: "1" };
  const body = JSON.stringify({ ...problem, code: "unauthenticated" });
  await page.route("**/auth/handoff", (route) =>
    route.fulfill({ status: 401, contentType: "application/problem+json", body }),
  );
  await page.getByRole("button", { name: "See Analytics" }).last().click();
  await expect(page.getByRole("alert")).toHaveText("Missing auth data");
  await expectAccessible(page);
});

test("[2H-06] [4L-01] Add Trades continues with the book of the first trade", async ({ page }) => {
  await page.getByRole("button", { name: "Add Trades" }).click();
  await expect(page).toHaveURL("/add-new-trades");
  await expect(page.getByRole("heading", { level: 1, name: "Add Another Trade" })).toBeVisible();
  await expect(page.getByLabel("Broker")).toHaveValue("zerodha");
  await expect(page.getByLabel("Trade type")).toHaveValue("equity");
});

test("the export has the filters and the order of the log", async ({ page, expectedErrors }) => {
  const fileTrades = await readTradesOf("zerodha", ROWS.some);
  await page.getByRole("searchbox", { name: "Symbol" }).fill("m&m");
  await counted(page, /^\d+ of 60 trades/);
  await page.getByRole("columnheader", { name: "Price" }).getByRole("button").click();
  await counted(page, /highest price first$/);
  const files: string[] = [];
  for (const format of ["CSV", "Excel"]) {
    await page.getByRole("button", { name: "Export" }).click();
    await expectAccessible(page);
    const coming = page.waitForEvent("download");
    await page.getByRole("button", { name: format, exact: true }).click();
    const file = await coming;
    expect(file.suggestedFilename()).toMatch(/^tradebahi-trades-\d{4}-\d\d-\d\d\.(csv|xlsx)$/);
    files.push(await readFile(await file.path(), "latin1"));
  }
  const [csv = "", xlsx = ""] = files;
  const expectedTrades = fileTrades
    .filter(({ symbol }) => symbol === "M&M")
    .toSorted((a, b) => expectedPrice(b) - expectedPrice(a));
  const lines = csv.trim().split("\r\n").slice(1);
  expect(lines.map((line) => line.split(",")[1])).toEqual(expectedTrades.map(() => "M&M"));
  expect(lines.map((line) => Number(line.split(",")[3]))).toEqual(expectedTrades.map(expectedPrice));
  expect(xlsx.slice(0, 2)).toBe("PK");

  expectedErrors.push(/status of 503/);
  const detail = "The server is busy. Try again in a moment.";
  const problem = { type: "about:blank", title: "Busy", status: 503, detail, instance: "1", code: "busy" };
  await page.route("**/trades/export*", (route) =>
    route.fulfill({ status: 503, contentType: "application/problem+json", body: JSON.stringify(problem) }),
  );
  await page.getByRole("button", { name: "Export" }).click();
  await page.getByRole("button", { name: "CSV" }).click();
  await expect(page.getByRole("alert").filter({ hasText: detail })).toBeVisible();
  await expectAccessible(page);
});

test("[2D-06] an import keeps the active filters and says that they are active", async ({ page }) => {
  const release = await holdRequests(page, "**/uploadexcel*");
  await page.getByRole("link", { name: "Add Trades" }).click();
  await submitFile(page, tradebookPath("groww", ROWS.few), "Groww");
  await page.getByRole("link", { name: "Trade Log" }).click();
  await page.getByRole("search").getByLabel("Broker").selectOption("Zerodha");
  await counted(page, "60 of 60 trades");
  release();
  await expect(page.getByRole("region", { name: "Import report" })).toContainText("40 trades added");
  await expect(page.getByText("Your filters are still active")).toBeVisible();
  await expect(page).toHaveURL(`${LOG}&broker=zerodha`);
  await counted(page, "60 of 100 trades");
});
