import type { Page } from "@playwright/test";
import { getClient, importFile } from "./accounts.ts";
import { addEntry } from "./entries.ts";
import { expect, expectAccessible, holdRequests, deskTest as test } from "./test-fixtures.ts";
import { submitFile, tradeTable } from "./trade-table.ts";
import { ROWS, tradebookPath } from "./tradebooks.ts";

const QUESTION = "All previous trades will be replaced. Do you want to continue?";
const FORM = "/dashboard?panel=0";
const LOG = "/dashboard?panel=1";

const LONG = {
  Symbol: "RELIANCE",
  "Stock name": "Reliance Industries",
  Quantity: "50",
  "Buy price": "1421.3",
  "Buy date and time": "2026-11-02T09:15",
  "Sell price": "1440.85",
  "Sell date and time": "2026-11-02T15:10",
};

const form = (page: Page) => page.getByRole("form", { name: "Trade" });
const title = (page: Page) => page.getByRole("heading", { level: 1 });
const field = (page: Page, label: string) => form(page).getByLabel(label);
const saved = (page: Page) => form(page).getByRole("status").filter({ hasText: "Saved in" });
const banner = (page: Page) => page.getByText(/ replaced by \d/);

async function write(page: Page, entry: Partial<typeof LONG>) {
  for (const [label, value] of Object.entries(entry)) await field(page, label).fill(value);
}

async function chooseManual(page: Page) {
  await page.goto(FORM);
  await page.getByLabel("Entry type").selectOption({ label: "Enter Manually" });
  await expect(page.getByRole("dialog")).toContainText(QUESTION);
}

async function confirmManual(page: Page) {
  await chooseManual(page);
  await page.getByRole("button", { name: "Confirm", exact: true }).click();
  await expect(page).toHaveURL("/add-new-trades");
}

/** Collects the requests that write trades, in order. */
function writes(page: Page) {
  const requests: { path: string; key: string | undefined }[] = [];
  page.on("request", (request) => {
    const path = new URL(request.url()).pathname;
    if (!/\/trades\/(add|replace)$/.test(path)) return;
    requests.push({ path, key: request.headers()["idempotency-key"] });
  });
  return requests;
}

test("[2U-03] [9T-04] [4M-01] [4M-02] choosing manual asks first; Cancel resets the entry type", async ({
  page,
  account,
}) => {
  await importFile(account, tradebookPath("zerodha", ROWS.few), "zerodha");
  await chooseManual(page);
  const options = await page
    .getByLabel("Entry type")
    .evaluate((select: HTMLSelectElement) =>
      Array.from(select.options, ({ value, label }) => `${label}=${value}`),
    );
  expect(options).toEqual(["Enter Manually=manual", "Upload Excel Sheet=excel"]);
  await expect(page.getByRole("dialog")).toContainText("Zerodha, Equity has 40 trades.");
  // Adding is the first choice.
  await expect(page.getByRole("button", { name: "Add to these trades" })).toBeFocused();
  await expectAccessible(page);

  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(page.getByLabel("Entry type")).toHaveValue("excel");
  await expect(page.getByLabel("Excel sheet")).toBeAttached();
  await page.getByLabel("Trade type").selectOption("fno");
  await page.getByLabel("Entry type").selectOption("manual");
  await expect(page.getByRole("dialog")).toContainText("has no trades yet.");
  await page.getByRole("button", { name: "Cancel" }).click();
  expect(await page.evaluate(() => localStorage.getItem("manualEntryBroker"))).toBeNull();
});

test("[T3] [1A-03] [2M-01] [2M-02] [4M-03] [4M-04] [4M-05] [4T-03] [4T-05] [4T-06] [4T-07] [3B-01] [4S-02] the first entry after the confirmation replaces, the next is added, and Undo restores the old trades", async ({
  page,
  account,
}) => {
  await importFile(account, tradebookPath("zerodha", ROWS.few), "zerodha");
  const writeRequests = writes(page);
  await confirmManual(page);
  await expect(title(page)).toHaveText("Enter Your First Trade");
  await expect(title(page)).toBeFocused();
  expect(
    await page.evaluate(() => [
      localStorage.getItem("manualEntryBroker"),
      localStorage.getItem("manualEntryTradeType"),
    ]),
  ).toEqual(["zerodha", "equity"]);
  await expect(field(page, "Broker")).toHaveValue("zerodha");

  await write(page, { ...LONG, Quantity: "10" });
  await field(page, "Notes").fill("Waited for the dip");
  await expect(form(page).getByLabel("Profit or loss")).toHaveText("+\u2060₹195.50");
  // The draft and the intent of the page survive a reload.
  await page.reload();
  await expect(field(page, "Symbol")).toHaveValue("RELIANCE");
  await expect(title(page)).toHaveText("Enter Your First Trade");
  await expect(form(page)).toContainText("Save replaces all 40 trades of Zerodha, Equity");
  await page.getByRole("button", { name: "Save and add another" }).click();

  await expect(saved(page)).toContainText("Saved in Zerodha, Equity: BUY 10 RELIANCE");
  await expect(title(page)).toHaveText("Add Another Trade");
  await expect(field(page, "Symbol")).toBeFocused();
  // Ten trades of a day need the date once.
  for (const [label, value] of Object.entries(LONG)) {
    await expect(field(page, label)).toHaveValue(label.includes("date") ? value : "");
  }
  await expect(field(page, "Notes")).toHaveValue("");
  await expect(form(page)).toContainText("Save adds this entry to the 2 trades of Zerodha, Equity.");

  await write(page, { ...LONG, Symbol: "itc", "Stock name": "ITC" });
  await field(page, "Quantity").press("Enter");
  await expect(page).toHaveURL(LOG);
  await expect(page.getByText("4 trades, newest first")).toBeVisible();
  expect(writeRequests.map(({ path }) => path.split("/").at(-1))).toEqual(["replace", "add", "add"]);

  await expect(banner(page)).toHaveText("40 trades of Zerodha, Equity were replaced by 2.");
  await expectAccessible(page);
  await page.reload();
  // Changed on another device: only the server knows what the undo includes now.
  await addEntry(account, "WIPRO");
  await page.getByRole("button", { name: "Undo" }).click();
  const question = page.getByRole("dialog", { name: "Undo this change?" });
  await expect(question).toContainText("This also undoes 2 newer changes.");
  await question.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("Undone. 40 trades restored, 6 removed.")).toBeVisible();
  await expect(page.getByText("40 trades, newest first")).toBeVisible();
  expect((await getClient(account.request, account.token)).trades).toHaveLength(40);
});

test("[4T-02] [4T-04] [3T-02] [3T-03] [3T-04] [3T-05] [5T-05] the first entry of an empty book replaces; a later one adds a linked buy and sell", async ({
  page,
  account,
}) => {
  const writeRequests = writes(page);
  await page.goto("/add-new-trades");
  await expect(title(page)).toHaveText("Add Another Trade");
  await field(page, "Broker").selectOption("groww");
  await expect(title(page)).toHaveText("Enter Your First Trade");
  await write(page, LONG);
  await page.getByRole("button", { name: "Save and add another" }).click();
  await expect(saved(page)).toContainText("Saved in Groww, Equity");

  // A short sale on the other exchange: sold in the morning, bought in the afternoon.
  await write(page, {
    ...LONG,
    Symbol: "TCS",
    "Buy date and time": "2026-11-03T15:10",
    "Sell date and time": "2026-11-03T09:15",
  });
  await form(page).getByText("SELL", { exact: true }).click();
  await form(page).getByText("BSE", { exact: true }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page).toHaveURL(LOG);

  expect(writeRequests.map(({ path }) => path)).toEqual([
    "/api/v1/trades/replace",
    "/api/v1/trades/add",
    "/api/v1/trades/add",
  ]);
  expect(new Set(writeRequests.map(({ key }) => key)).size).toBe(3);
  const { trades, tradetype } = await getClient(account.request, account.token);
  expect(tradetype).toBe("equity");
  const [buy, sell] = trades;
  const shared = { symbol: "TCS", quantity: 50, broker: "groww", tradetype: "equity", exchange: "BSE" };
  expect(buy).toMatchObject({ ...shared, type: "buy", price: 1421.3 });
  expect(sell).toMatchObject({ ...shared, type: "sell", price: 1440.85 });
  // India time, whatever the time zone of the browser.
  expect([buy?.timestamp, sell?.timestamp].map((time) => Date.parse(time ?? ""))).toEqual([
    Date.parse("2026-11-03T15:10:00+05:30"),
    Date.parse("2026-11-03T09:15:00+05:30"),
  ]);
  expect(trades.map(({ symbol, type }) => `${symbol} ${type}`)).toEqual([
    "TCS buy",
    "TCS sell",
    "RELIANCE sell",
    "RELIANCE buy",
  ]);
  expect(new Set(trades.map(({ pairId }) => pairId)).size).toBe(2);
});

test("[T6] Enter Manually offers to add to a full book first, and the form states what Save does", async ({
  page,
  account,
}) => {
  await importFile(account, tradebookPath("zerodha", ROWS.few), "zerodha");
  const writeRequests = writes(page);
  await chooseManual(page);
  await page.getByRole("button", { name: "Add to these trades" }).click();
  await expect(page).toHaveURL("/add-new-trades");
  await expect(title(page)).toHaveText("Add Another Trade");
  await expect(field(page, "Broker")).toHaveValue("zerodha");
  const note = form(page).getByText("Save adds this entry to the 40 trades of Zerodha, Equity.");
  await expect(note).toBeVisible();
  await field(page, "Broker").selectOption("groww");
  await expect(form(page)).toContainText("Save adds this entry as the first of Groww, Equity.");
  await field(page, "Broker").selectOption("zerodha");
  await page.reload();
  await expect(note).toBeVisible();
  await write(page, LONG);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByText("42 trades, newest first")).toBeVisible();
  await expect(banner(page)).toBeHidden();
  expect(writeRequests.map(({ path }) => path.split("/").at(-1))).toEqual(["add", "add"]);
});

test("[T12] an open position of an option is entered by its buy alone, without a stock name", async ({
  page,
  account,
}) => {
  await page.goto("/add-new-trades");
  await field(page, "Broker").selectOption("zerodha");
  await field(page, "Trade type").selectOption("fno");
  await write(page, {
    Symbol: "NIFTY26DEC25000CE",
    Quantity: "75",
    "Buy price": "120.5",
    "Buy date and time": LONG["Buy date and time"],
  });
  await expect(form(page)).toContainText("Open position: only the buy is saved.");
  // A leg is empty or complete.
  await field(page, "Sell price").fill("130");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const summary = page.getByRole("alert").filter({ hasText: "There is a problem" });
  await expect(summary.getByRole("link")).toHaveText(["Enter the sell date and time."]);
  await field(page, "Sell price").fill("");
  await expect(summary).toBeHidden();
  await page.getByRole("button", { name: "Save and add another" }).click();
  await expect(saved(page)).toContainText("BUY 75 NIFTY26DEC25000CE, open position");
  await expect(form(page)).toContainText("Save adds this entry to the 1 trade");

  // The sell follows later.
  await write(page, { Symbol: "NIFTY26DEC25000CE", Quantity: "75", "Sell price": "150" });
  await field(page, "Buy date and time").fill("");
  await field(page, "Sell date and time").fill("2026-11-03T10:00");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page).toHaveURL(LOG);
  const { trades } = await getClient(account.request, account.token);
  expect(trades.map(({ type, price }) => [type, price])).toEqual([
    ["sell", 150],
    ["buy", 120.5],
  ]);
});

test("a stop loss is stored with the opening leg, and the analytics use it", async ({ page, account }) => {
  await confirmManual(page);
  await write(page, LONG);
  await field(page, "Stop loss").fill("1421.30");
  await field(page, "Quantity").press("Enter");
  await expect(form(page).getByRole("alert")).toContainText(
    "For a BUY trade, the stop loss must be below the buy price.",
  );
  await field(page, "Stop loss").fill("1411.30");
  await field(page, "Quantity").press("Enter");
  await expect(page).toHaveURL(LOG);
  const { trades } = await getClient(account.request, account.token);
  expect(trades.map(({ type, stopLoss }) => [type, stopLoss])).toEqual([
    ["sell", undefined],
    ["buy", 1411.3],
  ]);

  // 50 × ₹10 at risk; one position is too few for an average.
  await page.goto("/analytics");
  await expect(page.getByRole("region", { name: "Figures", exact: true })).toContainText(
    "Average R, after chargestoo few trades",
  );
  await page.goto("/analytics/trades");
  await page.getByRole("link", { name: "RELIANCE" }).click();
  const panel = page.getByRole("dialog", { name: "RELIANCE" });
  await expect(panel).toContainText("Initial risk₹500.00");
  await expect(panel).toContainText("Stop loss₹1,411.30");
});

test("[2H-06] [4L-01] [2M-03] [7T-12] Add Trades on the log opens the form for the book of the first trade, to append", async ({
  page,
  account,
}) => {
  await importFile(account, tradebookPath("groww", ROWS.few), "groww");
  await page.goto(LOG);
  await page.getByRole("button", { name: "Add Trades" }).click();
  await expect(page).toHaveURL("/add-new-trades");
  await expect(title(page)).toHaveText("Add Another Trade");
  await expect(field(page, "Broker")).toHaveValue("groww");
  await expect(field(page, "Trade type")).toHaveValue("equity");
  await page.getByRole("button", { name: "Back" }).click();
  await expect(page).toHaveURL(LOG);

  // The shortcut does the same.
  await page.keyboard.press("n");
  await expect(page).toHaveURL("/add-new-trades");
  const symbol = await page.evaluate(async () => {
    const token = localStorage.getItem("token");
    const response = await fetch("/api/v1/trades/symbols", { headers: { Authorization: `Bearer ${token}` } });
    const { symbols }: { symbols: string[] } = await response.json();
    return symbols[0] ?? "";
  });
  await field(page, "Symbol").pressSequentially(symbol.slice(0, 2).toLowerCase());
  await expect(page.getByRole("option", { name: symbol, exact: true })).toBeVisible();
  await expectAccessible(page);
  while ((await page.getByRole("option", { name: symbol, exact: true, selected: true }).count()) === 0) {
    await page.keyboard.press("ArrowDown");
  }
  await page.keyboard.press("Enter");
  await expect(field(page, "Symbol")).toHaveValue(symbol);
  await write(page, { ...LONG, Symbol: symbol });
  await field(page, "Sell price").press("Enter");
  await expect(page.getByText("42 trades, newest first")).toBeVisible();
});

test("[8E-05] [8E-06] [4T-01] after a failure of the second leg the form is kept, and a retry completes the entry", async ({
  page,
  account,
  expectedErrors,
}) => {
  expectedErrors.push(/Failed to add trades\./, /Failed to load resource.*503/);
  await importFile(account, tradebookPath("zerodha", ROWS.few), "zerodha");
  await page.goto(LOG);
  await page.getByRole("button", { name: "Add Trades" }).click();
  await write(page, LONG);

  let adds = 0;
  await page.route("**/trades/add", async (route) => {
    adds += 1;
    if (adds !== 2) return route.continue();
    const problem = {
      type: "about:blank",
      title: "",
      status: 503,
      detail: "Busy.",
      instance: "",
      code: "busy",
    };
    return route.fulfill({
      status: 503,
      contentType: "application/problem+json",
      body: JSON.stringify(problem),
    });
  });
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const alert = page.getByRole("alert").filter({ hasText: "An error occurred. Please try again." });
  await expect(alert).toContainText("The buy is saved, the sell is not.");
  expect((await getClient(account.request, account.token)).trades).toHaveLength(41);

  await page.reload();
  await expect(field(page, "Buy price")).toHaveValue("1421.3");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page).toHaveURL(LOG);
  const { trades } = await getClient(account.request, account.token);
  expect(trades).toHaveLength(42);
  const pair = trades.filter(({ pairId }) => pairId);
  expect(pair.map(({ type }) => type).toSorted()).toEqual(["buy", "sell"]);
  expect(new Set(pair.map(({ pairId }) => pairId)).size).toBe(1);
});

test("[5T-01] [5T-02] [5X-04] [5X-05] [9T-03] [9T-06] missing and invalid fields are listed, and nothing is sent", async ({
  page,
}) => {
  const writeRequests = writes(page);
  await page.goto("/add-new-trades");
  await expect(field(page, "Trade type")).toHaveValue("equity");
  await expect(form(page).getByRole("radio", { name: "BUY" })).toBeChecked();
  await expect(form(page).getByRole("radio", { name: "NSE" })).toBeChecked();
  await expect(form(page).getByRole("radio", { name: "BSE" })).not.toBeChecked();
  for (const label of ["Buy price", "Sell price", "Quantity"]) {
    await expect(field(page, label)).toHaveAttribute("type", "number");
  }
  for (const label of ["Buy date and time", "Sell date and time"]) {
    await expect(field(page, label)).toHaveAttribute("type", "datetime-local");
  }

  await page.getByRole("button", { name: "Save", exact: true }).click();
  const summary = page.getByRole("alert").filter({ hasText: "There is a problem" });
  await expect(summary).toBeFocused();
  await expect(summary.getByRole("link")).toHaveText([
    "Choose a broker.",
    "Enter the symbol.",
    "Enter the stock name.",
    "Enter the quantity.",
    "Enter the buy price.",
    "Enter the buy date and time.",
    "Enter the sell price.",
    "Enter the sell date and time.",
  ]);
  await expectAccessible(page);
  await summary.getByRole("link", { name: "Enter the buy price." }).click();
  await expect(field(page, "Buy price")).toBeFocused();

  await field(page, "Broker").selectOption("zerodha");
  await write(page, { ...LONG, "Sell date and time": "2026-11-01T15:10" });
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(summary.getByRole("link")).toHaveText([/^This is before the buy\./]);
  // The same times are valid for a short sale.
  await form(page).getByText("SELL", { exact: true }).click();
  await expect(summary).toBeHidden();
  expect(writeRequests).toEqual([]);
});

test("[2D-05] [2U-06] the table of manual entries is shown below the form and as a separate panel", async ({
  page,
  account,
}) => {
  await confirmManual(page);
  await write(page, LONG);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page).toHaveURL(LOG);
  await expect(tradeTable(page)).toBeVisible();
  await expect(banner(page)).toBeHidden();

  // The form continues where it was left.
  await page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "Add Trades" }).click();
  await expect(page.getByLabel("Entry type")).toHaveValue("manual");
  const entries = page.getByRole("region", { name: "Entries" }).getByRole("row");
  const cells = (row: number) => entries.nth(row).getByRole("cell");
  await expect(entries).toHaveCount(2);
  await expect(cells(1)).toHaveText(["BUY", "RELIANCE", "50", "₹1,421.30", "₹1,440.85", "+\u2060₹977.50"], {
    useInnerText: true,
  });
  await expectAccessible(page);

  await page.goto("/dashboard?panel=2");
  await expect(title(page)).toHaveText("Manual entry");
  await write(page, { ...LONG, Symbol: "ITC", "Sell price": "1400" });
  await page.getByRole("button", { name: "Save and add another" }).click();
  await expect(entries).toHaveCount(3);
  await expect(entries.filter({ hasText: "ITC" })).toContainText("−\u2060₹1,065.00");
  await expectAccessible(page);
  // A phone shows three columns; the other values are below the symbol and the result.
  await page.setViewportSize({ width: 320, height: 640 });
  await expect(cells(1)).toHaveText(["BUY", "ITC ₹1,421.30 → ₹1,400.00", "−\u2060₹1,065.00 Qty 50"], {
    useInnerText: true,
  });
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  await page.setViewportSize({ width: 1280, height: 720 });
  expect((await getClient(account.request, account.token)).trades).toHaveLength(4);
});

test("if entries cannot be loaded, the form shows an error, and Retry loads them", async ({
  page,
  expectedErrors,
}) => {
  expectedErrors.push(/ERR_FAILED/);
  await page.route("**/api/v1/trades/client?*", (route) => route.abort());
  await page.goto("/dashboard?panel=2");
  await expect(page.getByRole("alert")).toContainText("Failed to load initial data.");
  await expect(field(page, "Symbol")).toBeVisible();
  await page.unroute("**/api/v1/trades/client?*");
  await page.getByRole("button", { name: "Retry" }).click();
  await expect(page.getByText("No manual entries yet.")).toBeVisible();
});

test("an upload continues during manual entry and reports when it is done", async ({ page }) => {
  await page.goto(FORM);
  const release = await holdRequests(page, "**/uploadexcel");
  await submitFile(page, tradebookPath("zerodha", ROWS.few));
  await expect(page.getByRole("button", { name: "Cancel" })).toBeVisible();
  await page.getByLabel("Entry type").selectOption("manual");
  await page.getByRole("button", { name: "Confirm", exact: true }).click();
  await write(page, LONG);
  release();
  await expect(page.getByText("40 trades added")).toBeVisible();
  await expect(field(page, "Symbol")).toHaveValue("RELIANCE");
  await page.getByRole("link", { name: "Go to the Trade Log" }).click();
  await expect(page.getByRole("region", { name: "Import report" })).toContainText("40 trades added");
  await expect(page.getByText("40 trades, newest first")).toBeVisible();
});

test("Ctrl+Enter saves and adds another; saved entries are visible, and a known symbol fills in its name", async ({
  page,
}) => {
  await page.setViewportSize({ width: 360, height: 640 });
  await page.goto("/add-new-trades");
  await field(page, "Broker").selectOption("zerodha");
  await write(page, LONG);
  await page.keyboard.press("Control+Enter");
  await expect(saved(page)).toContainText("BUY 50 RELIANCE");
  await expect(saved(page)).toBeInViewport({ ratio: 1 });
  await expect(field(page, "Symbol")).toBeFocused();
  // The name belongs to the previous symbol.
  await expect(field(page, "Stock name")).toHaveValue("");
  await page.keyboard.type("tcs");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  await expect(field(page, "Stock name")).toHaveValue("");

  await write(page, { ...LONG, Symbol: "ITC", "Stock name": "ITC" });
  await page.keyboard.press("Control+Enter");
  await expect(saved(page)).toContainText("BUY 50 ITC");
  await expect(field(page, "Symbol")).toBeFocused();
  await expect(field(page, "Symbol")).toHaveValue("");
  await page.keyboard.type("reliance");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  await expect(field(page, "Stock name")).toHaveValue("Reliance Industries");
  // Typed input is never overwritten.
  await field(page, "Stock name").fill("RIL");
  await field(page, "Symbol").fill("NEW");
  await page.keyboard.press("Tab");
  await field(page, "Quantity").fill("1");
  await expect(field(page, "Stock name")).toHaveValue("RIL");
});

test("a date and its time can be typed in one go", async ({ page }) => {
  await page.goto("/add-new-trades");
  const date = field(page, "Buy date and time");
  await date.focus();
  await page.keyboard.type("060620251000a");
  await expect(date).toHaveValue("2025-06-06T10:00");
});

test("the form fits a width of 320 px", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto("/add-new-trades");
  await expect(field(page, "Symbol")).toBeVisible();
  const over = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await expect.poll(over).toBe(0);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByRole("alert").filter({ hasText: "There is a problem" })).toBeVisible();
  await expect.poll(over).toBe(0);
});

test.describe("without a session", () => {
  test.use({ storageState: { cookies: [], origins: [] } });

  test("[6A-04] [6A-06] the page for manual entry shows Access Denied", async ({ page }) => {
    await page.goto("/add-new-trades");
    await expect(title(page)).toHaveText("Access Denied");
    await expect(form(page)).toBeHidden();
  });
});
