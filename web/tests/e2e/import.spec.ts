import { open, readFile } from "node:fs/promises";
import type { Page, Request } from "@playwright/test";
import { clientOf, importFile } from "./accounts.ts";
import { readTable, submitFile } from "./trade-table.ts";
import { fileOf, putInto, ROWS, rowOf } from "./tradebooks.ts";
import { expect, expectAccessible, heldBack, deskTest as test } from "./watched-page.ts";

const csv = (name: string, text: string) => ({ name, mimeType: "text/csv", buffer: Buffer.from(text) });
const fileField = (page: Page) => page.getByLabel("Excel sheet");
const files = (page: Page) => page.getByRole("list", { name: "Files" });
const report = (page: Page) => page.getByRole("region", { name: "Import report" });

test.beforeEach(async ({ page }) => {
  await page.goto("/dashboard?panel=0");
  await expect(page.getByRole("heading", { level: 1, name: "Add Trades" })).toBeVisible();
});

test("[2U-02] [2U-04] [2U-05] [9T-02] the form offers brokers, trade types and a file picker", async ({
  page,
}) => {
  const options = (label: string) =>
    page
      .getByLabel(label)
      .evaluate((select: HTMLSelectElement) =>
        Array.from(select.options, ({ value, label }) => `${label}=${value}`),
      );
  expect(await options("Broker")).toEqual(["Zerodha=zerodha", "Groww=groww"]);
  expect(await options("Trade type")).toEqual(["Equity=equity", "Future & Option=fno"]);
  await expect(fileField(page)).toHaveAttribute("accept", ".xlsx,.xls,.csv");
  await expect(page.getByRole("button", { name: "Submit Trades" })).toBeEnabled();
});

test("[7T-06] a file that comes twice adds nothing, one that overlaps adds what is new", async ({
  page,
  account,
}) => {
  await submitFile(page, fileOf("zerodha", ROWS.few));
  await expect(report(page)).toContainText("40 trades added");

  await page.getByRole("link", { name: "Add Trades" }).click();
  await submitFile(page, fileOf("zerodha", ROWS.few));
  await expect(page).toHaveURL("/dashboard?panel=1");
  await expect(report(page)).toContainText("No trades added, 40 were already there");
  await expect(page.getByText("40 trades, newest first")).toBeVisible();

  // Sixty rows in another form of the file, forty of which are in the book.
  await page.getByRole("link", { name: "Add Trades" }).click();
  await submitFile(page, fileOf("zerodha", ROWS.some, "csv"));
  await expect(report(page)).toContainText("20 trades added, 40 were already there");
  const put = await putInto("zerodha", ROWS.some);
  expect(await readTable(page)).toEqual(put.map((trade) => rowOf(trade, "zerodha")));
  expect((await clientOf(account.request, account.token)).trades).toHaveLength(60);

  await report(page).getByRole("button", { name: "Dismiss" }).click();
  await expect(report(page)).toBeHidden();
});

test("the report is read out once, however often one comes back to the log", async ({ page }) => {
  // Its place is there before the words: what comes with them in it is not read out everywhere.
  const place = await page.locator("main > [role=status]:empty").elementHandle();
  await submitFile(page, fileOf("zerodha", ROWS.few));
  await expect(page.getByRole("heading", { level: 1, name: "Trade Log" })).toBeFocused();
  await expect(report(page)).toContainText("40 trades added");
  const words = await place?.$("span");
  expect(await words?.textContent()).toBe("40 trades added");

  await page.getByRole("link", { name: "Add Trades" }).click();
  await page.getByRole("link", { name: "Trade Log" }).click();
  await expect(report(page)).toContainText("40 trades added");
  expect(await words?.evaluate((element) => element.isConnected)).toBe(true);
  await expect(page.getByRole("status").filter({ hasText: "40 trades added" })).toHaveCount(1);
});

test("Enter opens the file picker, as Space does, and sends nothing", async ({ page }) => {
  // Listened for before the focus: a key may get to the page before what is asked of the browser in the same breath.
  const choosing = page.waitForEvent("filechooser");
  await fileField(page).focus();
  await page.keyboard.press("Enter");
  await (await choosing).setFiles(fileOf("zerodha", ROWS.few));
  await expect(page.getByText("zerodha-40.xlsx")).toBeVisible();
  await expect(page).toHaveURL("/dashboard?panel=0");
});

test("a file of another broker asks first: Cancel stores nothing, the other button imports it", async ({
  page,
  account,
  expectedErrors,
}) => {
  expectedErrors.push(/status of 409/);
  const question = page.getByText("This is a Zerodha file. Import it as Zerodha?");

  await submitFile(page, fileOf("zerodha", ROWS.few), "Groww");
  await expect(page.locator("p").filter({ has: question })).toBeFocused();
  await expect(files(page)).toContainText("Nothing is stored yet.");
  await expectAccessible(page);
  await files(page).getByRole("button", { name: "Cancel" }).click();
  await expect(question).toBeHidden();
  expect((await clientOf(account.request, account.token)).trades).toEqual([]);
  await expect(page.getByText("zerodha-40.xlsx")).toBeVisible();

  await page.getByRole("button", { name: "Submit Trades" }).click();
  await page.getByRole("button", { name: "Import as Zerodha" }).click();
  await expect(report(page)).toContainText("40 trades added");
  await expect(report(page)).toContainText("Zerodha, Equity");
  const { trades } = await clientOf(account.request, account.token);
  expect(trades.filter(({ broker }) => broker === "zerodha")).toHaveLength(40);
});

test("[5X-01] [8E-19] without a file the form says so, and stops saying so", async ({ page }) => {
  await page.getByRole("button", { name: "Submit Trades" }).click();
  const sentence = page.getByRole("alert").filter({
    hasText: /^Please upload an Excel sheet before submitting\.$/,
  });
  await expect(sentence).toBeVisible();
  await expect(fileField(page)).toHaveAccessibleDescription(
    /Please upload an Excel sheet before submitting\./,
  );
  await expectAccessible(page);
  await fileField(page).setInputFiles(fileOf("zerodha", ROWS.few));
  await expect(sentence).toBeHidden();
  await page.getByRole("button", { name: "Remove zerodha-40.xlsx" }).click();
  await expect(fileField(page)).toBeFocused();
  await page.getByRole("button", { name: "Submit Trades" }).click();
  await expect(sentence).toBeVisible();
  await expect(fileField(page)).toBeFocused();
});

const REFUSED = [
  {
    what: "a profit and loss statement",
    file: async () =>
      csv("pnl.csv", "Symbol,ISIN,Quantity,Buy Value,Sell Value,Realized P&L\nINFY,INE009A01021,1,2,3,1\n"),
    sentence:
      "This is Zerodha's profit and loss statement. Download the tradebook instead: Console, Reports, Tradebook, segment Equity or F&O. To compare the report with your log, open Reconcile in the analytics.",
  },
  {
    what: "a text",
    file: async () => csv("notes.csv", "Buy more INFY on Monday.\nSell ITC.\n"),
    sentence: /Zerodha.*Groww/,
  },
  {
    what: "half a workbook",
    file: async () => {
      const whole = await readFile(fileOf("zerodha", ROWS.some));
      const mimeType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
      return { name: "half.xlsx", mimeType, buffer: whole.subarray(0, whole.length / 2) };
    },
    sentence:
      "The file cannot be read: it is damaged, or not a spreadsheet. Download the report again and upload it as it comes from the broker.",
  },
  {
    what: "an empty file",
    file: async () => csv("empty.csv", ""),
    sentence: /empty/i,
  },
] as const;

test("without a network the other pages open all the same, and the chosen file stays", async ({
  page,
  context,
  expectedErrors,
}) => {
  expectedErrors.push(/ERR_INTERNET_DISCONNECTED/);
  const underWay = new Set<Request>();
  page.on("request", (request) => underWay.add(request));
  page.on("requestfinished", (request) => underWay.delete(request));
  page.on("requestfailed", (request) => underWay.delete(request));
  // What they are made of comes when nothing else goes on, all of it in one go.
  const ahead = page.waitForRequest(/analytics-pages/);
  await page.reload();
  await fileField(page).setInputFiles(fileOf("zerodha", ROWS.few));
  await ahead;
  await expect.poll(() => underWay.size).toBe(0);
  await context.setOffline(true);
  for (const [name, heading] of [
    ["Trade Log", "TradeLog is Empty"],
    ["Analytics", "Analytics"],
  ] as const) {
    await page.getByRole("link", { name, exact: true }).click();
    await expect(page.getByRole("heading", { name: heading })).toBeVisible();
  }
  await page.getByRole("link", { name: "Add Trades" }).click();
  await expect(files(page)).toContainText("zerodha");
});

test("a page whose script does not come through says so, and the chosen file stays", async ({
  page,
  expectedErrors,
}) => {
  expectedErrors.push(/ERR_FAILED/, /dynamically imported module/);
  await page.route("**/assets/empty-log-*.js", (route) => route.abort());
  await page.reload();
  await fileField(page).setInputFiles(fileOf("zerodha", ROWS.few));
  await page.getByRole("link", { name: "Trade Log" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Something went wrong" })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Add Trades" }).click();
  await expect(files(page)).toContainText("zerodha");
});

for (const { what, file, sentence } of REFUSED) {
  test(`[8E-11] ${what} is refused in the server's words, and stays chosen`, async ({
    page,
    account,
    expectedErrors,
  }) => {
    expectedErrors.push(/status of 422/);
    const chosen = await file();
    await submitFile(page, chosen);
    const refusal = page.getByRole("alert").filter({ hasText: "Nothing was stored." });
    await expect(refusal.locator("strong")).toHaveText(sentence);
    await expect(page.getByText(chosen.name, { exact: true })).toBeVisible();
    await expect(page).toHaveURL("/dashboard?panel=0");
    expect((await clientOf(account.request, account.token)).trades).toEqual([]);

    // The message goes with the next choice, and the form works on.
    await submitFile(page, fileOf("zerodha", ROWS.few));
    await expect(report(page)).toContainText("40 trades added");
  });
}

test("what is no spreadsheet, or too large, is refused before it is sent", async ({ page }, testInfo) => {
  await fileField(page).setInputFiles({
    name: "trades.pdf",
    mimeType: "application/pdf",
    buffer: Buffer.from("%PDF"),
  });
  await expect(
    page.getByRole("alert").filter({ hasText: "Choose an .xlsx, .xls or .csv file." }),
  ).toBeVisible();
  const large = await open(testInfo.outputPath("large.csv"), "w");
  await large.truncate(32 * 1024 * 1024 + 1);
  await large.close();
  await fileField(page).setInputFiles(testInfo.outputPath("large.csv"));
  await expect(page.getByRole("alert").filter({ hasText: "The file is larger than 32 MiB." })).toBeVisible();
});

test("[8E-12] an upload that gets no answer says what is known, and Retry sends it again", async ({
  page,
  expectedErrors,
}) => {
  expectedErrors.push(/ERR_FAILED/);
  const failure = page.getByRole("alert").filter({ hasText: "Error uploading file." });
  await page.route("**/uploadexcel/preview", (route) => route.abort());
  await submitFile(page, fileOf("zerodha", ROWS.few));
  await expect(failure).toContainText("The connection was lost. Nothing was stored.");
  await expectAccessible(page);
  await page.unroute("**/uploadexcel/preview");

  // Checked by now, and lost on the way into the log.
  await page.route("**/uploadexcel", (route) => route.abort());
  await files(page).getByRole("button", { name: "Retry" }).click();
  await expect(failure).toContainText("Sending it again is safe: the same file twice adds nothing.");
  await page.unroute("**/uploadexcel");
  await files(page).getByRole("button", { name: "Retry" }).click();
  await expect(report(page)).toContainText("40 trades added");
});

test("an upload can be cancelled, and goes on while one looks at the log", async ({ page, account }) => {
  const release = await heldBack(page, "**/uploadexcel/preview");
  await submitFile(page, fileOf("zerodha", ROWS.few));
  await expect(page.getByRole("progressbar")).toBeVisible();
  await page.getByRole("button", { name: "Cancel zerodha-40.xlsx" }).click();
  await expect(page.getByRole("status").filter({ hasText: "The upload was cancelled." })).toBeVisible();

  await page.getByRole("button", { name: "Submit Trades" }).click();
  await page.getByRole("link", { name: "Trade Log" }).click();
  await expect(page.getByRole("progressbar")).toBeVisible();
  release();
  await expect(report(page)).toContainText("40 trades added");
  expect((await clientOf(account.request, account.token)).trades).toHaveLength(40);
});

test.describe("leaving the desk while files are imported", () => {
  const question = (page: Page) => page.getByRole("dialog", { name: "Leave, and break off the import?" });

  test("is asked about; what is broken off is said where one went", async ({ page, account }) => {
    const release = await heldBack(page, "**/uploadexcel/preview");
    await fileField(page).setInputFiles([fileOf("zerodha", ROWS.few), fileOf("zerodha", ROWS.some, "csv")]);
    await page.getByRole("button", { name: "Submit Trades" }).click();
    await expect(page.getByRole("progressbar")).toBeVisible();
    const home = page.getByRole("link", { name: "TradeBahi, home" });
    await home.click();
    await expect(question(page).getByRole("button", { name: "Stay" })).toBeFocused();
    await expect(question(page)).toContainText("zerodha-40.xlsx, zerodha-60.csv");
    await expectAccessible(page);
    await page.keyboard.press("Enter");
    await expect(question(page)).toBeHidden();
    await expect(home).toBeFocused();
    await expect(page).toHaveURL("/dashboard?panel=0");
    await expect(files(page)).toContainText("Waits for its turn");

    await home.click();
    await question(page).getByRole("button", { name: "Leave" }).click();
    await expect(page).toHaveURL("/");
    const news = page.getByRole("status").filter({ hasText: "The import was broken off." });
    await expect(news).toContainText("Not imported: zerodha-40.xlsx, zerodha-60.csv.");
    release();
    await news.getByRole("link", { name: "Go to import" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Add Trades" })).toBeVisible();
    expect((await clientOf(account.request, account.token)).trades).toEqual([]);
  });

  test("needs no answer any more once they are in", async ({ page }) => {
    const release = await heldBack(page, "**/uploadexcel/preview");
    await submitFile(page, fileOf("zerodha", ROWS.few));
    await expect(page.getByRole("progressbar")).toBeVisible();
    await page.getByRole("link", { name: "TradeBahi, home" }).click();
    await expect(question(page)).toBeVisible();
    release();
    await expect(report(page)).toContainText("40 trades added");
    await expect(question(page)).toBeHidden();
    await expect(page).toHaveURL("/dashboard?panel=1");
    await page.getByRole("link", { name: "TradeBahi, home" }).click();
    await expect(page).toHaveURL("/");
  });
});

test("[7T-05] a clean file is sent once with broker, tradetype and email, and goes in as it was checked", async ({
  page,
  account,
}) => {
  // The runner does not show the body of a request with a file in it.
  await page.evaluate(() => {
    const { send } = XMLHttpRequest.prototype;
    XMLHttpRequest.prototype.send = function (body) {
      const fields = body instanceof FormData ? [...body] : [];
      const told = fields.map(([name, value]) => [name, value instanceof File ? value.name : value]);
      const before = document.documentElement.dataset.sent ?? "[]";
      document.documentElement.dataset.sent = JSON.stringify([...JSON.parse(before), told]);
      send.call(this, body);
    };
  });
  const addresses: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("uploadexcel")) addresses.push(new URL(request.url()).pathname);
  });
  await submitFile(page, fileOf("groww", ROWS.few), "Groww");
  await expect(report(page)).toContainText("40 trades added");
  expect(addresses).toEqual(["/api/v1/uploadexcel/preview", "/api/v1/uploadexcel"]);
  const [checked, stored] = JSON.parse(
    (await page.evaluate(() => document.documentElement.dataset.sent)) ?? "",
  );
  expect(Object.fromEntries(checked)).toEqual({
    broker: "groww",
    tradetype: "equity",
    email: account.email,
    file: "groww-40.xlsx",
  });
  expect(Object.keys(Object.fromEntries(stored)).toSorted()).toEqual(["email", "previewId", "state"]);
});

test("[3C-02] both brokers' trades stand in one log, newest first", async ({ page, account }) => {
  await importFile(account, fileOf("zerodha", ROWS.few), "zerodha");
  await submitFile(page, fileOf("groww", ROWS.few), "Groww");
  await expect(report(page)).toContainText("40 trades added");
  await expect(page.getByText("80 trades, newest first")).toBeVisible();
  const { tradetype, trades } = await clientOf(account.request, account.token);
  expect(tradetype).toBe("equity");
  const times = trades.map(({ timestamp }) => Date.parse(timestamp));
  expect(times).toEqual(times.toSorted((a, b) => b - a));
});

test("[0A-02] futures and options go into a book of their own", async ({ page, account }) => {
  const names =
    "symbol,isin,trade_date,exchange,segment,series,trade_type,auction,quantity,price,trade_id,order_id,order_execution_time,expiry_date";
  const fills = [
    "NIFTY2560524750PE,,2025-06-03,NSE,FO,,buy,false,75.000000,120.500000,501,1200000000000001,2025-06-03T15:29:59,2025-06-05",
    "BANKNIFTY25JUNFUT,,2025-06-04,NSE,FO,,sell,false,30.000000,123456.050000,502,1200000000000002,2025-06-04T09:15:00,2025-06-26",
  ];
  await page.getByLabel("Trade type").selectOption({ label: "Future & Option" });
  await submitFile(page, csv("fno.csv", [names, ...fills].join("\n")));
  await expect(report(page)).toContainText("2 trades added");
  await expect(report(page)).toContainText("Zerodha, Future & Option");
  expect(await readTable(page)).toEqual([
    ["SELL", "BANKNIFTY 26 Jun 2025\u00a0FUT", "30", "₹1,23,456.05", "4 Jun 2025, 9:15 am", "Zerodha"],
    ["BUY", "NIFTY 5 Jun 2025\u00a024,750 PE", "75", "₹120.50", "3 Jun 2025, 3:29 pm", "Zerodha"],
  ]);
  const { tradetype, trades } = await clientOf(account.request, account.token);
  expect(tradetype).toBe("fno");
  // In words on the screen, and by the broker's own symbol everywhere else.
  expect(trades.map(({ symbol }) => symbol)).toEqual(["BANKNIFTY25JUNFUT", "NIFTY2560524750PE"]);
});

test("the sample file can be taken from the form and read", async ({ page }) => {
  const downloading = page.waitForEvent("download");
  await page.getByRole("link", { name: "sample file (CSV)" }).click();
  const sample = await readFile(await (await downloading).path(), "utf8");
  await submitFile(page, csv("sample.csv", sample));
  await expect(report(page)).toContainText(/^\D*\d+ trades added/);
  await expect(report(page)).not.toContainText("left out");
});
