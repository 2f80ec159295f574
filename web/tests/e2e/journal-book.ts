import { expect, type Page } from "@playwright/test";
import { type Account, importFile } from "./accounts.ts";
import { type Fill, workingDay, writeTradebook } from "./analytics-book.ts";

/** A year of INFY, bought at 9:30 and sold at 11:00 on each of 250 working days. */
export const YEAR: readonly Fill[] = Array.from({ length: 250 }, (_, index): Fill[] => [
  { symbol: "INFY", side: "buy", quantity: 10, price: 1_500, at: `${workingDay(index)}T09:30:00` },
  {
    symbol: "INFY",
    side: "sell",
    quantity: 10,
    price: index % 3 === 2 ? 1_485 : 1_520,
    at: `${workingDay(index)}T11:00:00`,
  },
]).flat();

export async function importYear(account: Account, fills = YEAR): Promise<void> {
  await importFile(account, await writeTradebook(`${account.email}-year`, fills), "zerodha");
}

/** Opens the page of the newest position. */
export async function openNewestPosition(page: Page): Promise<void> {
  await page.goto("/analytics/trades");
  await page.getByRole("region", { name: "List of positions" }).getByRole("link").first().click();
  await page.getByRole("dialog").getByRole("link", { name: "Open page" }).click();
  await expect(page.getByRole("heading", { level: 2, name: "Journal" })).toBeVisible();
}
