import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { getClient } from "./accounts.ts";
import { expect, expectAccessible, deskTest as test } from "./test-fixtures.ts";

const HEADER = "Scrip,B/S,Traded Qty,Rate,Date,Time,Remark";

/** Returns a file with a layout that no broker has. */
function unknownFile(name: string, rows: string[]) {
  return { name, mimeType: "text/csv", buffer: Buffer.from([HEADER, ...rows].join("\n")) };
}

const FIRST = unknownFile("orders_export.csv", [
  "TATASTEEL,B,900,178.35,19-11-2025,14:31:08,",
  "ITC,S,10,400.05,20-11-2025,10:02:00,",
]);
const SECOND = unknownFile("orders_december.csv", ["ITC,S,5,401,01-12-2025,10:05:00,"]);

async function submit(page: Page, file: typeof FIRST) {
  await page.goto("/dashboard?panel=0");
  await page.getByLabel("Excel sheet").setInputFiles([file]);
  await page.getByRole("button", { name: "Submit Trades" }).click();
}

const report = (page: Page) => page.getByRole("region", { name: "Import report" });
const panel = (page: Page) => page.getByRole("region", { name: /^Columns of / });

test("the columns of an unknown file are mapped once, and the next file is imported without questions", async ({
  page,
  account,
  expectedErrors,
}) => {
  // The first file is not supported before its columns are mapped.
  expectedErrors.push(/status of 422/);
  await submit(page, FIRST);
  await page.getByRole("button", { name: "Map columns" }).click();
  await expect(panel(page)).toBeVisible();
  await expect(panel(page).getByLabel("Scrip contains")).toHaveValue("symbol");
  await expect(panel(page).getByText("Suggested")).toHaveCount(6);
  await expectAccessible(page);

  // Nothing is guessed: broker and exchange are asked.
  await panel(page).getByRole("button", { name: "Save and import" }).click();
  await expect(panel(page).getByRole("alert")).toHaveText("Choose the broker.");
  await panel(page).getByLabel("Broker", { exact: true }).selectOption("dhan");
  await panel(page).getByRole("button", { name: "Save and import" }).click();
  await expect(panel(page).getByRole("alert")).toHaveText("Choose the exchange.");
  await panel(page).getByLabel("Exchange").selectOption("NSE");
  await expect(panel(page).getByText("2 of 2 rows can be read as trades")).toBeVisible();
  await expect(panel(page).getByRole("list", { name: "First trades" })).toContainText("TATASTEEL");
  await expect(panel(page).getByRole("row", { name: /^B\/S/ })).toContainText("buy and sell only");

  // A wrong column shows its failing rows.
  await panel(page).getByLabel("Rate contains").selectOption("quantity");
  await panel(page).getByLabel("Traded Qty contains").selectOption("price");
  await expect(panel(page).getByRole("row", { name: /^Rate/ })).toContainText("2 of 2 rows to check");
  await panel(page).getByLabel("Rate contains").selectOption("price");
  await panel(page).getByLabel("Traded Qty contains").selectOption("quantity");
  await expect(panel(page).getByText("2 of 2 rows can be read as trades")).toBeVisible();
  expect((await getClient(page.request, account.token)).trades).toHaveLength(0);

  await panel(page).getByRole("button", { name: "Save and import" }).click();
  await expect(report(page)).toBeVisible();
  const { trades } = await getClient(page.request, account.token);
  expect(
    trades.map(({ symbol, broker }: { symbol: string; broker: string }) => `${broker} ${symbol}`),
  ).toEqual(["dhan ITC", "dhan TATASTEEL"]);

  await submit(page, SECOND);
  await expect(report(page)).toBeVisible();
  await expect(panel(page)).toBeHidden();
  await submit(page, FIRST);
  await expect(report(page)).toContainText("already");
  expect((await getClient(page.request, account.token)).trades).toHaveLength(3);

  await page.goto("/account?tab=data");
  const entry = page.getByRole("listitem").filter({ hasText: "orders_export.csv" });
  await expect(entry).toContainText("Dhan, Equity · 7 columns");
  await expectAccessible(page);
  const download = page.waitForEvent("download");
  await entry.getByRole("button", { name: "Download the mapping of orders_export.csv" }).click();
  const path = await (await download).path();
  await entry.getByRole("button", { name: "Delete the mapping of orders_export.csv" }).click();
  await expect(page.getByText("orders_export.csv was deleted.")).toBeVisible();
  const file = { name: "columns.json", mimeType: "application/json", buffer: await readFile(path) };
  await page.getByLabel("Add a column mapping (JSON file)").setInputFiles(file);
  await expect(page.getByText("orders_export.csv was added.")).toBeVisible();
  await expect(entry).toBeVisible();
});

test("an order of dates that no row proves is asked", async ({ page, expectedErrors }) => {
  expectedErrors.push(/status of 422/);
  await submit(page, unknownFile("ambiguous.csv", ["ITC,B,10,400,03/11/2025,10:00:00,"]));
  await page.getByRole("button", { name: "Map columns" }).click();
  await panel(page).getByLabel("Broker", { exact: true }).selectOption("dhan");
  await panel(page).getByLabel("Exchange").selectOption("NSE");
  await expect(panel(page).getByText("1 of 1 row can be read as trades")).toBeVisible();
  await panel(page).getByRole("button", { name: "Save and import" }).click();
  await expect(panel(page).getByRole("alert")).toHaveText("Choose the date format.");
  await expect(panel(page).getByRole("row", { name: /^Date/ })).toContainText("choose the date format");
  await panel(page).getByLabel("Date format").selectOption("day");
  await panel(page).getByRole("button", { name: "Save and import" }).click();
  await expect(report(page)).toBeVisible();
});

test("columns are mapped on a phone", async ({ page, expectedErrors }) => {
  expectedErrors.push(/status of 422/);
  await page.setViewportSize({ width: 320, height: 640 });
  const width = () => page.evaluate(() => document.documentElement.scrollWidth);
  const wide = ["ITC,HOLD,10,400.05,19-11-2025,03:00:00,A remark without any use that is rather long"];
  await submit(page, unknownFile("orders_of_my_mother_from_april_to_march.csv", wide));
  await page.getByRole("button", { name: "Map columns" }).click();
  await panel(page).getByLabel("Broker", { exact: true }).selectOption("dhan");
  await panel(page).getByLabel("Exchange").selectOption("NSE");
  await expect(panel(page).getByText("0 of 1 row can be read as trades")).toBeVisible();
  await expect.poll(width).toBe(320);
  await expectAccessible(page);
  await panel(page).getByRole("button", { name: "Save and import" }).click();
  await expect(panel(page).getByRole("alert")).toHaveText(
    "No row can be read as a trade with these columns.",
  );
  // The side of the file is a word that the trader explains.
  await panel(page).getByLabel("Word for buy").fill("Hold");
  await panel(page).getByRole("button", { name: "Save and import" }).click();
  await expect(panel(page)).toBeHidden();
  await page.goto("/account?tab=data");
  await expect(page.getByText("orders_of_my_mother_from_april_to_march.csv")).toBeVisible();
  await expect.poll(width).toBe(320);
  await expectAccessible(page);
});

test("all files of a batch with the same columns are mapped at once", async ({
  page,
  account,
  expectedErrors,
}) => {
  expectedErrors.push(/status of 422/);
  await page.goto("/dashboard?panel=0");
  await page.getByLabel("Excel sheet").setInputFiles([FIRST, SECOND]);
  await page.getByRole("button", { name: "Submit Trades" }).click();
  await expect(page.getByRole("button", { name: "Map columns" })).toHaveCount(2);
  await page.getByRole("button", { name: "Map columns" }).first().click();
  await panel(page).getByLabel("Broker", { exact: true }).selectOption("dhan");
  await panel(page).getByLabel("Exchange").selectOption("NSE");
  await panel(page).getByRole("button", { name: "Save and import" }).click();
  await expect(panel(page)).toBeHidden();
  await expect.poll(async () => (await getClient(page.request, account.token)).trades.length).toBe(3);
});
