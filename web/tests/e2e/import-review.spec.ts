import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { getClient, importFile } from "./accounts.ts";
import { writeTradebook } from "./analytics-book.ts";
import { expect, expectAccessible, holdRequests, deskTest as test } from "./test-fixtures.ts";
import { submitFile } from "./trade-table.ts";
import { ROWS, tradebookPath } from "./tradebooks.ts";

const csv = (name: string, text: string) => ({ name, mimeType: "text/csv", buffer: Buffer.from(text) });
const files = (page: Page) => page.getByRole("list", { name: "Files" });
const row = (page: Page, name: string) => files(page).getByRole("listitem").filter({ hasText: name });
const report = (page: Page) => page.getByRole("region", { name: "Import report" });
const heading = (page: Page) => page.getByRole("heading", { name: "Review the rows" });
const show = (page: Page, filter: RegExp) => page.getByRole("button", { name: filter }).click();
const submit = (page: Page) => page.getByRole("button", { name: "Submit Trades" });

/** Forty rows, of which rows 6 and 10 are invalid. */
async function broken(): Promise<string> {
  const lines = (await readFile(tradebookPath("zerodha", ROWS.few, "csv"), "utf8")).split("\n");
  lines[5] = lines[5]?.replace(/,false,[^,]+,/, ",false,a few,") ?? "";
  lines[9] = lines[9]?.replace(/,(buy|sell),/, ",hold,") ?? "";
  return lines.join("\n");
}

/** A later version of the forty rows, with other prices in rows 2 and 3. */
async function corrected(): Promise<{ text: string; prices: number[] }> {
  const lines = (await readFile(tradebookPath("zerodha", ROWS.few, "csv"), "utf8")).split("\n");
  const prices: number[] = [];
  for (const at of [1, 2]) {
    lines[at] = (lines[at] ?? "").replace(/(,false,[^,]+,)([^,]+),/, (_, before: string, price: string) => {
      prices.push(Number(price));
      return `${before}${(Number(price) + 1).toFixed(6)},`;
    });
  }
  return { text: lines.join("\n"), prices };
}

const putOff = (status: number, code: string, seconds: number) => ({
  status,
  contentType: "application/problem+json",
  headers: { "Retry-After": String(seconds) },
  body: JSON.stringify({ code, status, detail: "Try again in a moment." }),
});

const PNL = csv(
  "pnl.csv",
  "Symbol,ISIN,Quantity,Buy Value,Sell Value,Realized P&L\nINFY,INE009A01021,1,2,3,1\n",
);

test.beforeEach(async ({ page }) => {
  await page.goto("/dashboard?panel=0");
  await expect(page.getByRole("heading", { level: 1, name: "Add Trades" })).toBeVisible();
});

test("invalid rows are shown with cell, reason and fix before the other rows are imported", async ({
  page,
  account,
}) => {
  await submitFile(page, csv("broken.csv", await broken()));
  await expect(heading(page)).toBeFocused();
  await expect(page.getByRole("list", { name: "Steps of an import" }).locator("[aria-current]")).toHaveText(
    /Review/,
  );
  await expect(page.getByText("38 trades will be imported. 2 rows are skipped.")).toBeVisible();
  expect((await getClient(account.request, account.token)).trades).toEqual([]);
  await expectAccessible(page);

  await show(page, /^2\s*Skipped$/);
  const rows = page.getByRole("table", { name: "Skipped rows" }).getByRole("row");
  await expect(rows).toHaveCount(3);
  await expect(rows.nth(1)).toContainText("Skipped, row 6");
  await expect(rows.nth(1).getByRole("cell").nth(1)).toHaveText("a few");
  await expect(rows.nth(1).getByRole("cell").nth(2)).toHaveText(
    "I6The quantity is not a number.Enter the number from the broker's report, such as 75 or 1421.30.",
  );
  await expect(rows.nth(2)).toContainText("G10The side is neither buy nor sell.Enter buy or sell.");
  await expect(page.getByRole("table", { name: "First trades of the file" })).toBeHidden();

  await show(page, /^38\s*New$/);
  const sample = page.getByRole("table", { name: "First trades of the file" });
  await expect(sample.getByRole("row")).toHaveCount(39);
  await expect(sample.getByRole("row").nth(1)).toContainText("New");
  await show(page, /^0\s*Already there$/);
  await expect(page.getByText("None in this file.")).toBeVisible();

  await page.getByRole("button", { name: "Import 38 trades" }).click();
  await expect(page).toHaveURL("/dashboard?panel=1");
  await expect(page.getByRole("heading", { level: 1, name: "Trade Log" })).toBeFocused();
  await expect(report(page)).toContainText("38 trades added, 2 rows were skipped");
  await report(page).getByText("Show 2 skipped rows").click();
  await expect(report(page).getByRole("row").nth(1)).toContainText("The quantity is not a number.");
  expect((await getClient(account.request, account.token)).trades).toHaveLength(38);
});

test("the issues can be downloaded from the review and from the report", async ({ page }) => {
  await submitFile(page, csv("broken.csv", await broken()));
  await expect(heading(page)).toBeVisible();
  const text = await downloaded(page);
  await page.getByRole("button", { name: "Import 38 trades" }).click();
  await report(page).getByText("Show 2 skipped rows").click();
  await expectAccessible(page);
  expect(await downloaded(page)).toEqual(text);
  expect(text.filter((line) => !line.startsWith("Warning"))).toEqual([
    "Kind,Sheet,Row,Cell,Value,What is wrong,What to do",
    expect.stringMatching(/^Skipped,.*,6,I6,a few,The quantity is not a number\.,"Enter the number/),
    expect.stringMatching(/^Skipped,.*,10,G10,hold,The side is neither buy nor sell\.,Enter buy or sell\.$/),
  ]);
});

async function downloaded(page: Page): Promise<string[]> {
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download problems (CSV)" }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe("broken-problems.csv");
  const text = await readFile(await download.path(), "utf8");
  return text.replace("\ufeff", "").trim().split(/\r?\n/);
}

test("a review can be cancelled: nothing is stored, and the file stays chosen", async ({ page, account }) => {
  await submitFile(page, csv("broken.csv", await broken()));
  await expect(heading(page)).toBeVisible();
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  await expect(heading(page)).toBeHidden();
  await expect(page.getByLabel("Excel sheet")).toBeFocused();
  await expect(row(page, "broken.csv")).toBeVisible();
  await page.reload();
  await expect(submit(page)).toBeVisible();
  await expect(files(page)).toBeHidden();
  expect((await getClient(account.request, account.token)).trades).toEqual([]);
});

test("a review survives opening the log, Back and a reload", async ({ page, account }) => {
  await submitFile(page, csv("broken.csv", await broken()));
  await expect(heading(page)).toBeVisible();
  await page.getByRole("link", { name: "Trade Log" }).click();
  const note = page.getByRole("alert").filter({ hasText: "broken.csv needs review." });
  await expect(note).toBeVisible();
  await page.goBack();
  await expect(heading(page)).toBeVisible();

  await page.goto("/careers");
  await page.goBack();
  await expect(page.getByText("38 trades will be imported. 2 rows are skipped.")).toBeVisible();
  await page.reload();
  await expect(page.getByText("38 trades will be imported. 2 rows are skipped.")).toBeVisible();
  await page.getByRole("button", { name: "Import 38 trades" }).click();
  await expect(report(page)).toContainText("38 trades added, 2 rows were skipped");
  expect((await getClient(account.request, account.token)).trades).toHaveLength(38);

  // An imported file needs no further review.
  await page.goto("/dashboard?panel=0");
  await expect(submit(page)).toBeVisible();
  await expect(files(page)).toBeHidden();
});

test("if the book has changed meanwhile, the page asks again with the new counts", async ({
  page,
  account,
  expectedErrors,
}) => {
  expectedErrors.push(/status of 409/);
  await submitFile(page, csv("broken.csv", await broken()));
  await expect(page.getByText("38 trades will be imported. 2 rows are skipped.")).toBeVisible();
  await importFile(account, tradebookPath("zerodha", ROWS.few), "zerodha");

  await page.getByRole("button", { name: "Import 38 trades" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Your trades have changed since." })).toBeVisible();
  await expect(heading(page)).toBeFocused();
  await expect(page.getByText("No new trades. 38 are already there, 2 rows are skipped.")).toBeVisible();
  await page.getByRole("button", { name: "Finish" }).click();
  await expect(report(page)).toContainText("No trades added, 38 were already there, 2 rows were skipped");
  expect((await getClient(account.request, account.token)).trades).toHaveLength(40);
});

test("corrections by the broker are resolved one by one or all at once", async ({ page, account }) => {
  await importFile(account, tradebookPath("zerodha", ROWS.few), "zerodha");
  const { text, prices } = await corrected();
  const book = async () => (await getClient(account.request, account.token)).trades;
  const before = await book();
  await submitFile(page, csv("later.csv", text));

  const conflicts = page.getByRole("list", { name: "Conflicts" }).getByRole("listitem");
  await expect(conflicts).toHaveCount(2);
  await expect(page.getByText("2 are not decided and stay as they are.")).toBeVisible();
  await page.getByRole("button", { name: "Keep all mine" }).click();
  await expect(page.getByText("All are decided.")).toBeVisible();
  await expect(page.getByText("No new trades. 38 are already there, 2 stay as they are.")).toBeVisible();
  await conflicts.nth(0).getByRole("radio", { name: "Use the broker's" }).check();
  await expect(page.getByText("1 uses the broker's values, 1 stays as it is.")).toBeVisible();
  await expectAccessible(page);

  await page.getByRole("button", { name: "Correct 1 trade" }).click();
  await expect(report(page)).toContainText("No trades added, 1 was corrected, 39 were already there");
  const changed = (await book()).filter(
    ({ _id, price }) => before.find((old) => old._id === _id)?.price !== price,
  );
  expect(changed).toHaveLength(1);
  expect(prices).toContain((changed[0]?.price ?? 0) - 1);

  // Both are resolved permanently: the same file needs no review.
  await page.getByRole("link", { name: "Add Trades" }).click();
  await submitFile(page, csv("later.csv", text));
  await expect(report(page)).toContainText("No trades added, 40 were already there");
});

test("an unresolved conflict keeps the stored trade, is reported, and is asked again", async ({
  page,
  account,
}) => {
  await importFile(account, tradebookPath("zerodha", ROWS.few), "zerodha");
  const { text } = await corrected();
  const before = (await getClient(account.request, account.token)).trades;
  await submitFile(page, csv("later.csv", text));
  await page.getByRole("button", { name: "Finish" }).click();
  await expect(report(page)).toContainText(
    "No trades added, 38 were already there, 2 conflicts were left open",
  );
  expect((await getClient(account.request, account.token)).trades).toEqual(before);
  await page.getByRole("link", { name: "Add Trades" }).click();
  await submitFile(page, csv("later.csv", text));
  await expect(page.getByRole("list", { name: "Conflicts" }).getByRole("listitem")).toHaveCount(2);
});

test("of several files the valid ones are imported, and the others show what they need", async ({
  page,
  account,
  expectedErrors,
}) => {
  expectedErrors.push(/status of (409|422)/);
  const some = await readFile(tradebookPath("zerodha", ROWS.some, "csv"), "utf8");
  await page.getByLabel("Broker").selectOption("Zerodha");
  await page
    .getByLabel("Excel sheet")
    .setInputFiles([
      csv("broken.csv", await broken()),
      PNL,
      { name: "groww.xlsx", mimeType: "", buffer: await readFile(tradebookPath("groww", ROWS.few)) },
      csv("some.csv", some),
    ]);
  await expect(files(page).getByRole("listitem")).toHaveCount(4);
  await submit(page).click();
  await expect(row(page, "some.csv")).toContainText("Imported. 60 trades added");
  await expect(row(page, "broken.csv")).toContainText("Checked.");
  await expect(row(page, "pnl.csv").getByRole("alert")).toContainText(
    "This is Zerodha's profit and loss statement.",
  );
  await expect(row(page, "groww.xlsx")).toContainText("This is a Groww file. Import it as Groww?");
  await expectAccessible(page);

  await page.getByRole("button", { name: "Import as Groww" }).click();
  await expect(row(page, "groww.xlsx")).toContainText("Imported. 40 trades added");
  // Checked again after the import of the other file.
  await expect(page.getByText("No new trades. 38 are already there, 2 rows are skipped.")).toBeVisible();
  await page.getByRole("button", { name: "Finish" }).click();
  await expect(report(page)).toContainText("100 trades added, 38 were already there, 2 rows were skipped");
  await expect(report(page)).toContainText("groww.xlsx");
  await expect(page.getByRole("alert").filter({ hasText: "pnl.csv" })).toContainText(
    "profit and loss statement",
  );
  expect((await getClient(account.request, account.token)).trades).toHaveLength(100);
});

test("[T4] a file whose broker is still to be confirmed survives a reload", async ({
  page,
  account,
  expectedErrors,
}) => {
  expectedErrors.push(/status of 409/);
  await page.getByLabel("Broker").selectOption("Zerodha");
  await page
    .getByLabel("Excel sheet")
    .setInputFiles([
      csv("broken.csv", await broken()),
      { name: "groww.xlsx", mimeType: "", buffer: await readFile(tradebookPath("groww", ROWS.few)) },
    ]);
  await submit(page).click();
  await expect(row(page, "groww.xlsx")).toContainText("This is a Groww file. Import it as Groww?");
  expect((await getClient(account.request, account.token)).trades).toEqual([]);
  await page.reload();
  await expect(row(page, "groww.xlsx")).toContainText("This is a Groww file. Import it as Groww?");
  await expect(page.getByText("38 trades will be imported. 2 rows are skipped.")).toBeVisible();
  await page.getByRole("button", { name: "Import as Groww" }).click();
  await expect(row(page, "groww.xlsx")).toContainText("Imported. 40 trades added");
  expect((await getClient(account.request, account.token)).trades).toHaveLength(40);
});

test("[T10] several files are checked as one, with issues grouped by kind and rows first", async ({
  page,
}) => {
  const text = async (name: string, fills: Parameters<typeof writeTradebook>[1]) =>
    readFile(await writeTradebook(name, fills), "utf8");
  const side = (at: string, kind: "buy" | "sell", symbol: string) =>
    ({ symbol, side: kind, quantity: 20, price: 250, at }) as const;
  const bad = (file: string) =>
    `${file.trimEnd()}\n${file
      .trimEnd()
      .split("\n")
      .at(-1)
      ?.replace(/,(buy|sell),/, ",hold,")}\n`;
  const sales = await text("later", [
    side("2025-07-10T12:20:00", "sell", "WIPRO"),
    side("2025-07-10T12:21:00", "sell", "TCS"),
  ]);
  const purchases = await text("earlier", [side("2024-07-10T12:20:00", "buy", "WIPRO")]);
  // The later file first.
  await page
    .getByLabel("Excel sheet")
    .setInputFiles([csv("later.csv", bad(sales)), csv("earlier.csv", bad(purchases))]);
  await submit(page).click();
  const later = page.getByRole("region", { name: "Review of later.csv" });
  await expect(later.getByRole("list", { name: "Problems by kind" }).getByRole("listitem")).toHaveText([
    "1 Side unknown",
    "1 Sold more than bought",
  ]);
  // The purchase of WIPRO is in the other file; that of TCS is in none.
  await expect(later).toContainText("this book has sold 20 TCS more than it bought");
  await expect(later).not.toContainText("20 WIPRO more");
  await expect(later.getByRole("table", { name: "Rows to check" }).getByRole("row").nth(1)).toContainText(
    "The side is neither buy nor sell.",
  );
  await expectAccessible(page);
});

test("files can be dropped and removed, and rejected files are listed", async ({ page }) => {
  const dropped = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    for (const name of ["a.csv", "b.csv", "notes.docx"]) data.items.add(new File(["x"], name));
    return data;
  });
  const place = page.getByText("Drop files here, or choose them.");
  await place.dispatchEvent("drop", { dataTransfer: dropped });
  await expect(files(page).getByRole("listitem")).toHaveCount(2);
  await expect(
    page.getByRole("alert").filter({ hasText: "notes.docx: Choose an .xlsx, .xls or .csv file" }),
  ).toBeVisible();
  await page.getByRole("button", { name: "Remove a.csv" }).click();
  await expect(files(page).getByRole("listitem")).toHaveCount(1);
  await expect(page.getByLabel("Excel sheet")).toBeFocused();
  await page
    .getByLabel("Excel sheet")
    .setInputFiles(Array.from({ length: 402 }, (_, at) => csv(`${at}.csv`, "x")));
  await expect(page.getByRole("alert").filter({ hasText: "At most 400 files at once." })).toBeVisible();
  await expect(files(page).getByRole("listitem")).toHaveCount(400);
});

test("each file shows its progress", async ({ page }) => {
  const release = await holdRequests(page, "**/uploadexcel/preview");
  await page
    .getByLabel("Excel sheet")
    .setInputFiles([tradebookPath("zerodha", ROWS.few), tradebookPath("zerodha", ROWS.some, "csv")]);
  await submit(page).click();
  await expect(row(page, "zerodha-40.xlsx").getByRole("progressbar")).toBeVisible();
  await expect(row(page, "zerodha-60.csv").getByRole("progressbar")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Cancel zerodha-60.csv" }).click();
  await expect(row(page, "zerodha-60.csv")).toContainText("The upload was cancelled.");
  release();
  await expect(report(page)).toContainText("40 trades added");
});

test("if the server is busy, the page says so and retries by itself", async ({ page, expectedErrors }) => {
  // Both files have the same trades, so the second is compared again after the first was stored.
  expectedErrors.push(/status of (409|429|503)/);
  await page.clock.install();
  const often = putOff(429, "too_many_requests", 50);
  await page.route("**/uploadexcel/preview", (route) => route.fulfill(often), { times: 1 });
  const busy = putOff(503, "busy", 40);
  await page.route("**/uploadexcel", (route) => route.fulfill(busy), { times: 1 });
  await page
    .getByLabel("Excel sheet")
    .setInputFiles([tradebookPath("zerodha", ROWS.few), tradebookPath("zerodha", ROWS.some, "csv")]);
  await submit(page).click();
  // Once before the check and once before storing.
  for (const seconds of [50, 40]) {
    await expect(row(page, "zerodha-40.xlsx").getByRole("status")).toHaveText(
      `The server is busy. This file continues automatically in ${seconds} seconds.`,
    );
    await expect(row(page, "zerodha-60.csv")).toContainText("Waiting for the files before it");
    await page.clock.fastForward(seconds * 1000);
  }
  await expect(report(page)).toContainText("60 trades added");
});

test("a review works on a phone and with the keyboard only", async ({ page, account }) => {
  await importFile(account, tradebookPath("zerodha", ROWS.few), "zerodha");
  await page.setViewportSize({ width: 320, height: 640 });
  const { text } = await corrected();
  const lines = text.split("\n");
  lines[9] = lines[9]?.replace(/,(buy|sell),/, ",hold,") ?? "";
  await submitFile(page, csv("later.csv", lines.join("\n")));
  await expect(heading(page)).toBeFocused();
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  await expectAccessible(page);

  const choice = page.getByRole("radio", { name: "Use the broker's" }).first();
  for (let steps = 0; steps < 20; steps += 1) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(() => document.activeElement?.getAttribute("type") === "radio")) break;
  }
  await page.keyboard.press("ArrowDown");
  await expect(choice).toBeChecked();
  await expect(choice).toBeInViewport();
  await page.getByRole("button", { name: "Correct 1 trade" }).press("Enter");
  await expect(report(page)).toContainText("1 was corrected");
});

test("an expired check is reported, and the page continues to work", async ({ page, expectedErrors }) => {
  expectedErrors.push(/status of 404/);
  await submitFile(page, csv("broken.csv", await broken()));
  await expect(heading(page)).toBeVisible();
  await page.evaluate(() => {
    const kept = JSON.parse(sessionStorage.getItem("imports") ?? "");
    kept.files[0].previewId = "00000000-0000-4000-8000-000000000000";
    sessionStorage.setItem("imports", JSON.stringify(kept));
  });
  await page.reload();
  await expect(row(page, "broken.csv")).toContainText("The check of this file has expired.");
  await submitFile(page, tradebookPath("zerodha", ROWS.few));
  await expect(report(page)).toContainText("40 trades added");
});
