import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { clientOf, importFile } from "./accounts.ts";
import { submitFile } from "./trade-table.ts";
import { fileOf, ROWS } from "./tradebooks.ts";
import { expect, expectAccessible, heldBack, deskTest as test } from "./watched-page.ts";

const csv = (name: string, text: string) => ({ name, mimeType: "text/csv", buffer: Buffer.from(text) });
const files = (page: Page) => page.getByRole("list", { name: "Files" });
const row = (page: Page, name: string) => files(page).getByRole("listitem").filter({ hasText: name });
const report = (page: Page) => page.getByRole("region", { name: "Import report" });
const heading = (page: Page) => page.getByRole("heading", { name: "Review the rows" });
const show = (page: Page, filter: RegExp) => page.getByRole("button", { name: filter }).click();
const submit = (page: Page) => page.getByRole("button", { name: "Submit Trades" });

/** Forty rows, the sixth line and the tenth of which are no trades. */
async function broken(): Promise<string> {
  const lines = (await readFile(fileOf("zerodha", ROWS.few, "csv"), "utf8")).split("\n");
  lines[5] = lines[5]?.replace(/,false,[^,]+,/, ",false,a few,") ?? "";
  lines[9] = lines[9]?.replace(/,(buy|sell),/, ",hold,") ?? "";
  return lines.join("\n");
}

/** The forty rows as the broker tells them later: other prices in the second line and the third. */
async function corrected(): Promise<{ text: string; prices: number[] }> {
  const lines = (await readFile(fileOf("zerodha", ROWS.few, "csv"), "utf8")).split("\n");
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

test("rows that are no trades are shown with cell, reason and cure before the others go in without them", async ({
  page,
  account,
}) => {
  await submitFile(page, csv("broken.csv", await broken()));
  await expect(heading(page)).toBeFocused();
  await expect(page.getByRole("list", { name: "Steps of an import" }).locator("[aria-current]")).toHaveText(
    /Review/,
  );
  await expect(page.getByText("38 trades go in. 2 rows stay out.")).toBeVisible();
  expect((await clientOf(account.request, account.token)).trades).toEqual([]);
  await expectAccessible(page);

  await show(page, /^2\s*Left out$/);
  const rows = page.getByRole("table", { name: "Rows that stay out" }).getByRole("row");
  await expect(rows).toHaveCount(3);
  await expect(rows.nth(1)).toContainText("Left out, row 6");
  await expect(rows.nth(1).getByRole("cell").nth(1)).toHaveText("a few");
  await expect(rows.nth(1).getByRole("cell").nth(2)).toHaveText(
    "I6The quantity is not a number.Put the figure of the broker there, such as 75 or 1421.30.",
  );
  await expect(rows.nth(2)).toContainText("G10The side is neither buy nor sell.Put buy or sell there.");
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
  await report(page).getByText("Show the 2 rows that were left out").click();
  await expect(report(page).getByRole("row").nth(1)).toContainText("The quantity is not a number.");
  expect((await clientOf(account.request, account.token)).trades).toHaveLength(38);
});

test("the problems can be downloaded, from the review and from the report", async ({ page }) => {
  await submitFile(page, csv("broken.csv", await broken()));
  await expect(heading(page)).toBeVisible();
  const text = await downloaded(page);
  await page.getByRole("button", { name: "Import 38 trades" }).click();
  await report(page).getByText("Show the 2 rows that were left out").click();
  await expectAccessible(page);
  expect(await downloaded(page)).toEqual(text);
  expect(text.filter((line) => !line.startsWith("Warning"))).toEqual([
    "Kind,Sheet,Row,Cell,Value,What is wrong,What to do",
    expect.stringMatching(/^Left out,.*,6,I6,a few,The quantity is not a number\.,"Put the figure/),
    expect.stringMatching(
      /^Left out,.*,10,G10,hold,The side is neither buy nor sell\.,Put buy or sell there\.$/,
    ),
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

test("a review can be put away: nothing is stored, and the file stays chosen", async ({ page, account }) => {
  await submitFile(page, csv("broken.csv", await broken()));
  await expect(heading(page)).toBeVisible();
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  await expect(heading(page)).toBeHidden();
  await expect(page.getByLabel("Excel sheet")).toBeFocused();
  await expect(row(page, "broken.csv")).toBeVisible();
  await page.reload();
  await expect(submit(page)).toBeVisible();
  await expect(files(page)).toBeHidden();
  expect((await clientOf(account.request, account.token)).trades).toEqual([]);
});

test("a review outlives a look at the log, Back and a reload", async ({ page, account }) => {
  await submitFile(page, csv("broken.csv", await broken()));
  await expect(heading(page)).toBeVisible();
  await page.getByRole("link", { name: "Trade Log" }).click();
  const note = page.getByRole("alert").filter({ hasText: "broken.csv waits for your answer." });
  await expect(note).toBeVisible();
  await page.goBack();
  await expect(heading(page)).toBeVisible();

  await page.goto("/careers");
  await page.goBack();
  await expect(page.getByText("38 trades go in. 2 rows stay out.")).toBeVisible();
  await page.reload();
  await expect(page.getByText("38 trades go in. 2 rows stay out.")).toBeVisible();
  await page.getByRole("button", { name: "Import 38 trades" }).click();
  await expect(report(page)).toContainText("38 trades added, 2 rows were skipped");
  expect((await clientOf(account.request, account.token)).trades).toHaveLength(38);

  // What is in is not asked for again.
  await page.goto("/dashboard?panel=0");
  await expect(submit(page)).toBeVisible();
  await expect(files(page)).toBeHidden();
});

test("when the book has changed meanwhile the page asks again, with the new counts", async ({
  page,
  account,
  expectedErrors,
}) => {
  expectedErrors.push(/status of 409/);
  await submitFile(page, csv("broken.csv", await broken()));
  await expect(page.getByText("38 trades go in. 2 rows stay out.")).toBeVisible();
  await importFile(account, fileOf("zerodha", ROWS.few), "zerodha");

  await page.getByRole("button", { name: "Import 38 trades" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Your trades have changed since." })).toBeVisible();
  await expect(heading(page)).toBeFocused();
  await expect(page.getByText("No trade is new. 38 are already there, 2 rows stay out.")).toBeVisible();
  await page.getByRole("button", { name: "Finish" }).click();
  await expect(report(page)).toContainText("No trades added, 38 were already there, 2 rows were skipped");
  expect((await clientOf(account.request, account.token)).trades).toHaveLength(40);
});

test("what the broker corrected is decided trade by trade, or all at once", async ({ page, account }) => {
  await importFile(account, fileOf("zerodha", ROWS.few), "zerodha");
  const { text, prices } = await corrected();
  const book = async () => (await clientOf(account.request, account.token)).trades;
  const before = await book();
  await submitFile(page, csv("later.csv", text));

  const conflicts = page.getByRole("list", { name: "Conflicts" }).getByRole("listitem");
  await expect(conflicts).toHaveCount(2);
  await expect(page.getByText("2 are not decided and stay as they are.")).toBeVisible();
  await page.getByRole("button", { name: "Keep all mine" }).click();
  await expect(page.getByText("All are decided.")).toBeVisible();
  await expect(page.getByText("No trade is new. 38 are already there, 2 stay as they are.")).toBeVisible();
  await conflicts.nth(0).getByRole("radio", { name: "Take the broker's" }).check();
  await expect(page.getByText("1 takes the broker's figures, 1 stays as it is.")).toBeVisible();
  await expectAccessible(page);

  await page.getByRole("button", { name: "Correct 1 trade" }).click();
  await expect(report(page)).toContainText("No trades added, 1 was corrected, 39 were already there");
  const changed = (await book()).filter(
    ({ _id, price }) => before.find((old) => old._id === _id)?.price !== price,
  );
  expect(changed).toHaveLength(1);
  expect(prices).toContain((changed[0]?.price ?? 0) - 1);

  // Both are decided for good: the same file asks nothing any more.
  await page.getByRole("link", { name: "Add Trades" }).click();
  await submitFile(page, csv("later.csv", text));
  await expect(report(page)).toContainText("No trades added, 40 were already there");
});

test("what is not decided stays as it is, is reported, and is asked again", async ({ page, account }) => {
  await importFile(account, fileOf("zerodha", ROWS.few), "zerodha");
  const { text } = await corrected();
  const before = (await clientOf(account.request, account.token)).trades;
  await submitFile(page, csv("later.csv", text));
  await page.getByRole("button", { name: "Finish" }).click();
  await expect(report(page)).toContainText(
    "No trades added, 38 were already there, 2 conflicts were left open",
  );
  expect((await clientOf(account.request, account.token)).trades).toEqual(before);
  await page.getByRole("link", { name: "Add Trades" }).click();
  await submitFile(page, csv("later.csv", text));
  await expect(page.getByRole("list", { name: "Conflicts" }).getByRole("listitem")).toHaveCount(2);
});

test("many files at once: clean ones go in, and each of the others says what it needs", async ({
  page,
  account,
  expectedErrors,
}) => {
  expectedErrors.push(/status of (409|422)/);
  const some = await readFile(fileOf("zerodha", ROWS.some, "csv"), "utf8");
  await page
    .getByLabel("Excel sheet")
    .setInputFiles([
      csv("broken.csv", await broken()),
      PNL,
      { name: "groww.xlsx", mimeType: "", buffer: await readFile(fileOf("groww", ROWS.few)) },
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
  // What the other file of this page brought is no change that is asked about.
  await expect(page.getByText("38 trades go in. 2 rows stay out.")).toBeVisible();
  await page.getByRole("button", { name: "Import 38 trades" }).click();
  await expect(report(page)).toContainText("100 trades added, 38 were already there, 2 rows were skipped");
  await expect(report(page)).toContainText("groww.xlsx");
  await expect(page.getByRole("alert").filter({ hasText: "pnl.csv" })).toContainText(
    "profit and loss statement",
  );
  expect((await clientOf(account.request, account.token)).trades).toHaveLength(100);
});

test("files can be dropped, each can be taken out, and what cannot be taken is named", async ({ page }) => {
  const dropped = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    for (const name of ["a.csv", "b.csv", "notes.pdf"]) data.items.add(new File(["x"], name));
    return data;
  });
  const place = page.getByText("Drop files here, or choose them.");
  await place.dispatchEvent("drop", { dataTransfer: dropped });
  await expect(files(page).getByRole("listitem")).toHaveCount(2);
  await expect(
    page.getByRole("alert").filter({ hasText: "notes.pdf: Choose an .xlsx, .xls or .csv file." }),
  ).toBeVisible();
  await page.getByRole("button", { name: "Remove a.csv" }).click();
  await expect(files(page).getByRole("listitem")).toHaveCount(1);
  await expect(page.getByLabel("Excel sheet")).toBeFocused();
  await page
    .getByLabel("Excel sheet")
    .setInputFiles(Array.from({ length: 14 }, (_, at) => csv(`${at}.csv`, "x")));
  await expect(page.getByRole("alert").filter({ hasText: "At most 12 files at once." })).toBeVisible();
  await expect(files(page).getByRole("listitem")).toHaveCount(12);
});

test("each file tells how far it is", async ({ page }) => {
  const release = await heldBack(page, "**/uploadexcel/preview");
  await page
    .getByLabel("Excel sheet")
    .setInputFiles([fileOf("zerodha", ROWS.few), fileOf("zerodha", ROWS.some, "csv")]);
  await submit(page).click();
  await expect(row(page, "zerodha-40.xlsx").getByRole("progressbar")).toBeVisible();
  await expect(row(page, "zerodha-60.csv")).toContainText("Waits for its turn");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Cancel zerodha-60.csv" }).click();
  await expect(row(page, "zerodha-60.csv")).not.toContainText("Waits for its turn");
  release();
  await expect(report(page)).toContainText("40 trades added");
});

test("when the server takes no more for a while, the page says so and goes on by itself", async ({
  page,
  expectedErrors,
}) => {
  expectedErrors.push(/status of (429|503)/);
  await page.clock.install();
  const often = putOff(429, "too_many_requests", 50);
  await page.route("**/uploadexcel/preview", (route) => route.fulfill(often), { times: 1 });
  const busy = putOff(503, "busy", 40);
  await page.route("**/uploadexcel", (route) => route.fulfill(busy), { times: 1 });
  await page
    .getByLabel("Excel sheet")
    .setInputFiles([fileOf("zerodha", ROWS.few), fileOf("zerodha", ROWS.some, "csv")]);
  await submit(page).click();
  // Before the check, and once more before storing.
  for (const seconds of [50, 40]) {
    await expect(row(page, "zerodha-40.xlsx").getByRole("status")).toHaveText(
      `The server takes no more just now: this one goes on by itself in ${seconds} seconds.`,
    );
    await expect(row(page, "zerodha-60.csv")).toContainText("Waits for its turn");
    await page.clock.fastForward(seconds * 1000);
  }
  await expect(report(page)).toContainText("60 trades added");
});

test("a review is read and decided on a phone, and by keys alone", async ({ page, account }) => {
  await importFile(account, fileOf("zerodha", ROWS.few), "zerodha");
  await page.setViewportSize({ width: 320, height: 640 });
  const { text } = await corrected();
  const lines = text.split("\n");
  lines[9] = lines[9]?.replace(/,(buy|sell),/, ",hold,") ?? "";
  await submitFile(page, csv("later.csv", lines.join("\n")));
  await expect(heading(page)).toBeFocused();
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  await expectAccessible(page);

  const choice = page.getByRole("radio", { name: "Take the broker's" }).first();
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

test("a check that the server has forgotten says so, and the page works on", async ({
  page,
  expectedErrors,
}) => {
  expectedErrors.push(/status of 404/);
  await submitFile(page, csv("broken.csv", await broken()));
  await expect(heading(page)).toBeVisible();
  await page.evaluate(() => {
    const kept = JSON.parse(sessionStorage.getItem("imports") ?? "");
    kept.files[0].previewId = "00000000-0000-4000-8000-000000000000";
    sessionStorage.setItem("imports", JSON.stringify(kept));
  });
  await page.reload();
  await expect(row(page, "broken.csv")).toContainText("The check of this file is no longer kept.");
  await submitFile(page, fileOf("zerodha", ROWS.few));
  await expect(report(page)).toContainText("40 trades added");
});
