import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { bearer, getClient, importFile } from "./accounts.ts";
import { addEntry, addTrade } from "./entries.ts";
import { expect, expectAccessible, deskTest as test } from "./test-fixtures.ts";
import { tableRows, tradeTable } from "./trade-table.ts";
import { ROWS, tradebookPath } from "./tradebooks.ts";

const changes = (page: Page) => page.getByRole("list", { name: "Changes" }).getByRole("listitem");
const LATER = {
  symbol: "ITC",
  type: "buy",
  quantity: 5,
  price: 440,
  timestamp: "2026-02-03T10:00:00+05:30",
} as const;

test("the history lists each change and undoes it with all newer ones", async ({
  page,
  context,
  account,
}) => {
  await importFile(account, tradebookPath("zerodha", ROWS.some), "zerodha");
  await addTrade(account, LATER);
  await page.goto("/dashboard?panel=1");
  await expect(tradeTable(page)).toBeVisible();
  await tableRows(page).first().click();
  await page.getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("BUY ITC was deleted.")).toBeVisible();

  await page.getByRole("button", { name: "History" }).click();
  await expect(page).toHaveURL("/dashboard?panel=3");
  await expect(page.getByRole("heading", { level: 1, name: "History" })).toBeFocused();
  await expect(changes(page)).toHaveCount(3);
  await expect(changes(page).nth(0)).toContainText(/Delete.*1 trade of ITC deleted.*Zerodha, Equity/);
  await expect(changes(page).nth(1)).toContainText(/Entry.*1 trade of ITC added/);
  await expect(changes(page).nth(2)).toContainText(/Import.*60 trades added/);
  await expectAccessible(page);

  const file = changes(page).nth(2);
  await expect(file).toContainText(`zerodha-${ROWS.some}.xlsx · `);
  await expect(file).toContainText(/60 rows, (\d+ warnings?, )?imported in [\d.]+ seconds/);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await file.getByRole("button", { name: /^Copy the SHA-256 of the file/ }).click();
  await expect(file.getByText("Copied")).toBeVisible();
  const digest = createHash("sha256").update(await readFile(tradebookPath("zerodha", ROWS.some)));
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(digest.digest("hex"));

  await changes(page).nth(2).getByRole("button", { name: /^Undo/ }).click();
  const question = page.getByRole("dialog", { name: "Undo this change?" });
  await expect(question).toContainText("This also undoes 2 newer changes.");
  await expect(question.getByRole("button", { name: "Cancel" })).toBeFocused();
  await expectAccessible(page);
  await question.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText(/^Undone\./)).toBeVisible();
  await expect(page.getByRole("heading", { level: 1, name: "History" })).toBeFocused();
  await expect(page.getByText(/^Undone on /)).toHaveCount(3);
  await expect(page.getByRole("button", { name: /^Undo:/ })).toHaveCount(0);
  expect((await getClient(account.request, account.token)).trades).toEqual([]);

  await page.getByRole("link", { name: "Trade Log" }).first().click();
  await expect(page.getByRole("heading", { name: "TradeLog is Empty" })).toBeVisible();
  await page.getByRole("button", { name: "See the history" }).click();
  await expect(changes(page)).toHaveCount(3);
});

test("an undo that would include more changes than shown is rejected, and the list is updated", async ({
  page,
  account,
  expectedErrors,
}) => {
  expectedErrors.push(/status of 409/);
  await addEntry(account, "INFY");
  await page.goto("/dashboard?panel=3");
  await changes(page).first().getByRole("button", { name: /^Undo/ }).click();
  await addTrade(account, LATER);
  const question = page.getByRole("dialog", { name: "Undo this change?" });
  await question.getByRole("button", { name: "Undo" }).click();
  await expect(question.getByRole("alert")).not.toBeEmpty();
  await question.getByRole("button", { name: "Cancel" }).click();
  await expect(changes(page).first()).toContainText("ITC");
  expect((await getClient(account.request, account.token)).trades).toHaveLength(3);
});

test("a replaced book can be restored", async ({ page, account }) => {
  await importFile(account, tradebookPath("zerodha", ROWS.few), "zerodha");
  const answer = await account.request.post("/api/v1/trades/replace", {
    headers: { ...bearer(account.token), Prefer: "return=minimal" },
    data: { broker: "zerodha", tradetype: "equity", trades: [LATER] },
  });
  expect(answer.status()).toBe(200);
  await page.goto("/dashboard?panel=3");
  await expect(changes(page).first()).toContainText(/Replace.*40 trades replaced by 1/);
  await changes(page).first().getByRole("button", { name: /^Undo/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("Undone. 40 trades restored, 1 removed.")).toBeVisible();
  await page.getByRole("link", { name: "Trade Log" }).first().click();
  await expect(page.getByText("40 trades, newest first")).toBeVisible();
});

test("the history can be filtered by book, also on a phone", async ({ page, account }) => {
  await addEntry(account, "INFY");
  await addEntry(account, "NIFTY26NOV25000CE", { broker: "groww", tradetype: "fno" });
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto("/dashboard?panel=3");
  await expect(changes(page).filter({ hasText: "INFY" }).first()).toBeVisible();
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  await expectAccessible(page);
  await page.getByLabel("Broker and trade type").selectOption("Groww, Future & Option");
  await expect(changes(page).filter({ hasText: "INFY" })).toHaveCount(0);
  await expect(changes(page).first()).toContainText("NIFTY26NOV25000CE");
  await page.getByLabel("Broker and trade type").selectOption("Groww, Equity");
  await expect(page.getByText("No changes yet.")).toBeVisible();
});
