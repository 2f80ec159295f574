import { open, readFile } from "node:fs/promises";
import type { Page, Request } from "@playwright/test";
import { getClient, importFile } from "./accounts.ts";
import { expect, expectAccessible, holdRequests, deskTest as test } from "./test-fixtures.ts";
import { readTable, submitFile } from "./trade-table.ts";
import { expectedRow, ROWS, readTradesOf, tradebookPath } from "./tradebooks.ts";

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
  const brokers = await options("Broker");
  expect(brokers.slice(0, 3)).toEqual(["Detect from the file=", "Zerodha=zerodha", "Groww=groww"]);
  expect(brokers).toContain("5paisa=5paisa");
  expect(await options("Trade type")).toEqual([
    "Detect from the file=",
    "Equity=equity",
    "Future & Option=fno",
  ]);
  await expect(fileField(page)).toHaveAttribute("accept", ".xlsx,.xls,.csv,.pdf,.zip");
  await expect(page.getByRole("button", { name: "Submit Trades" })).toBeEnabled();
});

test("[7T-06] a repeated file adds nothing, an overlapping file adds only new trades", async ({
  page,
  account,
}) => {
  await submitFile(page, tradebookPath("zerodha", ROWS.few));
  await expect(report(page)).toContainText("40 trades added");

  await page.getByRole("link", { name: "Add Trades" }).click();
  await submitFile(page, tradebookPath("zerodha", ROWS.few));
  await expect(page).toHaveURL("/dashboard?panel=1");
  await expect(report(page)).toContainText("No trades added, 40 were already there");
  await expect(page.getByText("40 trades, newest first")).toBeVisible();

  // Sixty rows in another file format, forty of which are already in the book.
  await page.getByRole("link", { name: "Add Trades" }).click();
  await submitFile(page, tradebookPath("zerodha", ROWS.some, "csv"));
  await expect(report(page)).toContainText("20 trades added, 40 were already there");
  const fileTrades = await readTradesOf("zerodha", ROWS.some);
  expect(await readTable(page)).toEqual(fileTrades.map((trade) => expectedRow(trade, "zerodha")));
  expect((await getClient(account.request, account.token)).trades).toHaveLength(60);

  await report(page).getByRole("button", { name: "Dismiss" }).click();
  await expect(report(page)).toBeHidden();
});

test("the report is announced once, however often the log is opened", async ({ page }) => {
  // The status element exists before its text; otherwise some screen readers do not announce it.
  const place = await page.locator("main > [role=status]:empty").elementHandle();
  await submitFile(page, tradebookPath("zerodha", ROWS.few));
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

test("Enter opens the file picker, like Space, and submits nothing", async ({ page }) => {
  // Registered before the key press, which may reach the page first.
  const choosing = page.waitForEvent("filechooser");
  await fileField(page).focus();
  await page.keyboard.press("Enter");
  await (await choosing).setFiles(tradebookPath("zerodha", ROWS.few));
  await expect(page.getByText("zerodha-40.xlsx")).toBeVisible();
  await expect(page).toHaveURL("/dashboard?panel=0");
});

test("a file of another broker needs a confirmation: Cancel stores nothing, the other button imports it", async ({
  page,
  account,
  expectedErrors,
}) => {
  expectedErrors.push(/status of 409/);
  const question = page.getByText("This is a Zerodha file. Import it as Zerodha?");

  await submitFile(page, tradebookPath("zerodha", ROWS.few), "Groww");
  await expect(page.locator("p").filter({ has: question })).toBeFocused();
  await expect(files(page)).toContainText("Not imported yet.");
  await expectAccessible(page);
  await files(page).getByRole("button", { name: "Cancel" }).click();
  await expect(question).toBeHidden();
  expect((await getClient(account.request, account.token)).trades).toEqual([]);
  await expect(page.getByText("zerodha-40.xlsx")).toBeVisible();

  await page.getByRole("button", { name: "Submit Trades" }).click();
  await page.getByRole("button", { name: "Import as Zerodha" }).click();
  await expect(report(page)).toContainText("40 trades added");
  await expect(report(page)).toContainText("Zerodha, Equity");
  const { trades } = await getClient(account.request, account.token);
  expect(trades.filter(({ broker }) => broker === "zerodha")).toHaveLength(40);
});

test("[5X-01] [8E-19] without a file the form shows an error until a file is chosen", async ({ page }) => {
  await page.getByRole("button", { name: "Submit Trades" }).click();
  const sentence = page.getByRole("alert").filter({
    hasText: /^Please upload an Excel sheet before submitting\.$/,
  });
  await expect(sentence).toBeVisible();
  await expect(fileField(page)).toHaveAccessibleDescription(
    /Please upload an Excel sheet before submitting\./,
  );
  await expectAccessible(page);
  await fileField(page).setInputFiles(tradebookPath("zerodha", ROWS.few));
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
      const whole = await readFile(tradebookPath("zerodha", ROWS.some));
      const mimeType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
      return { name: "half.xlsx", mimeType, buffer: whole.subarray(0, whole.length / 2) };
    },
    sentence:
      "The file cannot be read: it is damaged or not a spreadsheet. Download the report from your broker again and upload it unchanged.",
  },
  {
    what: "an empty file",
    file: async () => csv("empty.csv", ""),
    sentence: /empty/i,
  },
] as const;

test("offline the other pages still open, and the chosen file is kept", async ({
  page,
  context,
  expectedErrors,
}) => {
  expectedErrors.push(/ERR_INTERNET_DISCONNECTED/);
  const underWay = new Set<Request>();
  page.on("request", (request) => underWay.add(request));
  page.on("requestfinished", (request) => underWay.delete(request));
  page.on("requestfailed", (request) => underWay.delete(request));
  // Their chunks are prefetched together when the page is idle.
  const ahead = page.waitForRequest(/analytics-pages/);
  await page.reload();
  await fileField(page).setInputFiles(tradebookPath("zerodha", ROWS.few));
  await ahead;
  await expect.poll(() => underWay.size).toBe(0);
  await context.setOffline(true);
  for (const [name, heading] of [
    ["Trade Log", "TradeLog is Empty"],
    ["Overview", "Analytics"],
  ] as const) {
    await page.getByRole("link", { name, exact: true }).click();
    await expect(page.getByRole("heading", { name: heading })).toBeVisible();
  }
  await page.getByRole("link", { name: "Add Trades" }).click();
  await expect(files(page)).toContainText("zerodha");
});

test("a page whose script cannot be loaded shows an error, and the chosen file is kept", async ({
  page,
  expectedErrors,
}) => {
  expectedErrors.push(/ERR_FAILED/, /dynamically imported module/);
  await page.route("**/assets/empty-log-*.js", (route) => route.abort());
  await page.reload();
  await fileField(page).setInputFiles(tradebookPath("zerodha", ROWS.few));
  await page.getByRole("link", { name: "Trade Log" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Something went wrong" })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Add Trades" }).click();
  await expect(files(page)).toContainText("zerodha");
});

for (const { what, file, sentence } of REFUSED) {
  test(`[8E-11] ${what} is rejected with the message of the server and stays chosen`, async ({
    page,
    account,
    expectedErrors,
  }) => {
    expectedErrors.push(/status of 422/);
    const chosen = await file();
    await submitFile(page, chosen);
    const refusal = page.getByRole("alert").filter({ hasText: "Nothing was imported." });
    await expect(refusal.locator("strong")).toHaveText(sentence);
    await expect(page.getByText(chosen.name, { exact: true })).toBeVisible();
    await expect(page).toHaveURL("/dashboard?panel=0");
    expect((await getClient(account.request, account.token)).trades).toEqual([]);

    // The message disappears with the next choice.
    await submitFile(page, tradebookPath("zerodha", ROWS.few));
    await expect(report(page)).toContainText("40 trades added");
  });
}

test("a file that is not a spreadsheet or too large is rejected before it is sent", async ({
  page,
}, testInfo) => {
  await fileField(page).setInputFiles({
    name: "trades.docx",
    mimeType: "application/msword",
    buffer: Buffer.from("PK"),
  });
  await expect(
    page
      .getByRole("alert")
      .filter({ hasText: "Choose an .xlsx, .xls or .csv file, or a contract note as .pdf." }),
  ).toBeVisible();
  const large = await open(testInfo.outputPath("large.csv"), "w");
  await large.truncate(32 * 1024 * 1024 + 1);
  await large.close();
  await fileField(page).setInputFiles(testInfo.outputPath("large.csv"));
  await expect(page.getByRole("alert").filter({ hasText: "The file is larger than 32 MiB." })).toBeVisible();
});

test("[8E-12] an upload without a response shows a message, and Retry sends it again", async ({
  page,
  expectedErrors,
}) => {
  expectedErrors.push(/ERR_FAILED/);
  const failure = page.getByRole("alert").filter({ hasText: "Error uploading file." });
  await page.route("**/uploadexcel/preview", (route) => route.abort());
  await submitFile(page, tradebookPath("zerodha", ROWS.few));
  await expect(failure).toContainText("The connection was lost. Nothing was imported.");
  await expectAccessible(page);
  await page.unroute("**/uploadexcel/preview");

  // The check succeeded; the response to the import is lost.
  await page.route("**/uploadexcel", (route) => route.abort());
  await files(page).getByRole("button", { name: "Retry" }).click();
  await expect(failure).toContainText("You can import it again: no trade is added twice.");
  await page.unroute("**/uploadexcel");
  await files(page).getByRole("button", { name: "Retry" }).click();
  await expect(report(page)).toContainText("40 trades added");
});

test("an upload can be cancelled and continues while the log is open", async ({ page, account }) => {
  const release = await holdRequests(page, "**/uploadexcel/preview");
  await submitFile(page, tradebookPath("zerodha", ROWS.few));
  await expect(page.getByRole("progressbar")).toBeVisible();
  await page.getByRole("button", { name: "Cancel zerodha-40.xlsx" }).click();
  await expect(page.getByRole("status").filter({ hasText: "The upload was cancelled." })).toBeVisible();

  await page.getByRole("button", { name: "Submit Trades" }).click();
  await page.getByRole("link", { name: "Trade Log" }).click();
  await expect(page.getByRole("progressbar")).toBeVisible();
  release();
  await expect(report(page)).toContainText("40 trades added");
  expect((await getClient(account.request, account.token)).trades).toHaveLength(40);
});

test.describe("leaving the desk while files are imported", () => {
  const question = (page: Page) => page.getByRole("dialog", { name: "Leave and stop the import?" });

  test("needs a confirmation; an interrupted import is reported on the next page", async ({
    page,
    account,
  }) => {
    const release = await holdRequests(page, "**/uploadexcel/preview");
    await fileField(page).setInputFiles([
      tradebookPath("zerodha", ROWS.few),
      tradebookPath("zerodha", ROWS.some, "csv"),
    ]);
    await page.getByRole("button", { name: "Submit Trades" }).click();
    await expect(page.getByRole("progressbar")).toHaveCount(2);
    const home = page.getByRole("link", { name: "TradeBahi, home" });
    await home.click();
    await expect(question(page).getByRole("button", { name: "Stay" })).toBeFocused();
    await expect(question(page)).toContainText("zerodha-40.xlsx, zerodha-60.csv");
    await expectAccessible(page);
    await page.keyboard.press("Enter");
    await expect(question(page)).toBeHidden();
    await expect(home).toBeFocused();
    await expect(page).toHaveURL("/dashboard?panel=0");
    await expect(page.getByRole("progressbar")).toHaveCount(2);

    await home.click();
    await question(page).getByRole("button", { name: "Leave" }).click();
    await expect(page).toHaveURL("/");
    const news = page.getByRole("status").filter({ hasText: "The import was stopped." });
    await expect(news).toContainText("Not imported: zerodha-40.xlsx, zerodha-60.csv.");
    release();
    await news.getByRole("link", { name: "Go to import" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Add Trades" })).toBeVisible();
    expect((await getClient(account.request, account.token)).trades).toEqual([]);
  });

  test("needs no confirmation once they are imported", async ({ page }) => {
    const release = await holdRequests(page, "**/uploadexcel/preview");
    await submitFile(page, tradebookPath("zerodha", ROWS.few));
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

test("[7T-05] a valid file is sent once with broker, tradetype and email, and is imported as checked", async ({
  page,
  account,
}) => {
  // Playwright does not show the body of a request with a file.
  await page.evaluate(() => {
    const { send } = XMLHttpRequest.prototype;
    XMLHttpRequest.prototype.send = function (body) {
      const fields = body instanceof FormData ? [...body] : [];
      const sentFields = fields.map(([name, value]) => [name, value instanceof File ? value.name : value]);
      const before = document.documentElement.dataset.sent ?? "[]";
      document.documentElement.dataset.sent = JSON.stringify([...JSON.parse(before), sentFields]);
      send.call(this, body);
    };
  });
  const addresses: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("uploadexcel")) addresses.push(new URL(request.url()).pathname);
  });
  await submitFile(page, tradebookPath("groww", ROWS.few), "Groww");
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

test("[3C-02] the trades of both brokers are in one log, newest first", async ({ page, account }) => {
  await importFile(account, tradebookPath("zerodha", ROWS.few), "zerodha");
  await submitFile(page, tradebookPath("groww", ROWS.few), "Groww");
  await expect(report(page)).toContainText("40 trades added");
  await expect(page.getByText("80 trades, newest first")).toBeVisible();
  const { tradetype, trades } = await getClient(account.request, account.token);
  expect(tradetype).toBe("equity");
  const times = trades.map(({ timestamp }) => Date.parse(timestamp));
  expect(times).toEqual(times.toSorted((a, b) => b - a));
});

test("[0A-02] futures and options are imported into a separate book", async ({ page, account }) => {
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
  const { tradetype, trades } = await getClient(account.request, account.token);
  expect(tradetype).toBe("fno");
  // The screen shows the contract name; the API has the broker's symbol.
  expect(trades.map(({ symbol }) => symbol)).toEqual(["BANKNIFTY25JUNFUT", "NIFTY2560524750PE"]);
});

test("the sample file can be downloaded and imported", async ({ page }) => {
  const downloading = page.waitForEvent("download");
  await page.getByRole("link", { name: "sample file (CSV)" }).click();
  const sample = await readFile(await (await downloading).path(), "utf8");
  await submitFile(page, csv("sample.csv", sample));
  await expect(report(page)).toContainText(/^\D*\d+ trades added/);
  await expect(report(page)).not.toContainText("skipped");
});
