import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { type Account, bearer, importFile } from "./accounts.ts";
import { DELIVERY, INTRADAY, LATER, MISSING_COST_BASIS, writeTradebook } from "./analytics-book.ts";
import { addTrade } from "./entries.ts";
import { startInterruptingProxy } from "./interrupting-proxy.ts";
import {
  fnoTradebook,
  growwOrders,
  growwStocks,
  zerodhaEquity,
  zerodhaEquityWithoutCharges,
  zerodhaFno,
  zerodhaFnoOfAPlan,
  zerodhaFnoWithSettlement,
  zerodhaTaxReport,
} from "./pnl-reports.ts";
import {
  expect,
  expectAccessible,
  holdRequests,
  test as openTest,
  deskTest as test,
} from "./test-fixtures.ts";

const PAGE = "/analytics/charges?panel=reconcile";

async function fill(
  account: Account,
  fills = [...INTRADAY, ...DELIVERY, ...MISSING_COST_BASIS],
): Promise<void> {
  await importFile(account, await writeTradebook(`${account.email}-${fills.length}`, fills), "zerodha");
}

const picker = (page: Page) => page.getByLabel("Profit and loss report");
const title = (page: Page, name: string | RegExp) => page.getByRole("heading", { level: 1, name });
const differing = (page: Page) => page.getByRole("table", { name: "Differences" });
const sumOf = (page: Page, name: string) =>
  page.getByRole("table", { name: "Totals" }).getByRole("row").filter({ hasText: name });

async function compared(page: Page): Promise<void> {
  await page.goto(PAGE);
  await picker(page).setInputFiles(zerodhaEquity());
  await expect(title(page, "2 of 4 shares differ")).toBeFocused();
}

test("the comparison is reached from the analytics, and a difference leads to its trades and back", async ({
  page,
  account,
}) => {
  test.slow();
  await fill(account);
  await page.goto("/analytics/charges");
  await page.getByRole("link", { name: "Reconcile", exact: true }).click();
  await expect(page).toHaveURL(PAGE);
  await expect(title(page, "Reconcile with your broker")).toBeFocused();
  await expectAccessible(page);

  await picker(page).setInputFiles(zerodhaEquity());
  await expect(title(page, "2 of 4 shares differ")).toBeFocused();
  await expect(page.getByText(/^Zerodha P&L statement for equity, 1 Jun to 31 Jul 2025\./)).toBeVisible();
  // The report has 2,160.75 of HDFCBANK and 1,000 of WIPRO more.
  await expect(page.getByText("Your log has ₹3,160.75 less gross P&L than Zerodha.")).toBeVisible();
  await expect(sumOf(page, "Gross P&L")).toContainText("+\u2060₹2,500.00+\u2060₹5,660.75−\u2060₹3,160.75");
  const groups = differing(page).getByRole("rowgroup");
  await expect(groups.filter({ hasText: "HDFCBANK" })).toContainText("Trades missing.");
  await expect(groups.filter({ hasText: "WIPRO" })).toContainText("Buy price missing.");
  await expect(page.getByRole("table", { name: "Charges" }).getByRole("rowheader")).toContainText([
    "Brokerage",
    "STT and CTT",
  ]);

  await page.getByText("2 agree to the paisa", { exact: true }).click();
  const agreeing = page.getByRole("region", { name: "Shares that agree" });
  await expect(agreeing.getByRole("row").filter({ hasText: "INFY" })).toContainText("+\u2060₹2,000.00");
  await agreeing.getByRole("link", { name: "TCS" }).click();
  await expect(page.getByRole("heading", { name: "Shares: 1 closed trade" })).toBeVisible();
  await page.goBack();
  await expect(title(page, "2 of 4 shares differ")).toBeVisible();

  await differing(page).getByRole("link", { name: "HDFCBANK" }).click();
  await expect(page).toHaveURL(/\/dashboard\?panel=1&q=HDFCBANK/);
});

test("after importing the missing trades, the same report can be compared again", async ({
  page,
  account,
}) => {
  await fill(account);
  await compared(page);
  await fill(account, [...LATER]);
  await page.getByRole("button", { name: "Compare again" }).click();
  await expect(title(page, "1 of 4 shares differs")).toBeFocused();
  await expect(differing(page)).not.toContainText("HDFCBANK");
  await page.getByRole("button", { name: "Choose another report" }).click();
  await expect(title(page, "Reconcile with your broker")).toBeFocused();
  await expect(picker(page)).toBeVisible();
});

test("differences can be searched, filtered by cause, sorted and downloaded", async ({ page, account }) => {
  await fill(account);
  await compared(page);
  const links = differing(page).getByRole("link");
  await expect(links).toHaveText(["HDFCBANK", "WIPRO"]);
  await page.getByLabel("Sort by", { exact: true }).selectOption("Symbols A to Z");
  await expect(page).toHaveURL(/sort=symbol/);
  await page.getByLabel("Likely reason").selectOption({ label: "Buy price missing (1)" });
  await expect(links).toHaveText(["WIPRO"]);
  await page.getByLabel("Likely reason").selectOption("");
  await expect(links).toHaveText(["HDFCBANK", "WIPRO"]);
  await page.getByRole("searchbox", { name: "Symbol" }).fill("hdfc");
  await expect(links).toHaveText(["HDFCBANK"]);
  await page.getByRole("searchbox", { name: "Symbol" }).fill("zzz");
  await expect(page.getByRole("status").filter({ hasText: "No rows match." })).toBeVisible();

  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download (CSV)" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe("tradebahi-reconcile-zerodha-equity-2025-06-01-2025-07-31.csv");
  const lines = (await readFile(await file.path(), "utf8")).split("\r\n");
  expect(lines.find((line) => line.includes("HDFCBANK"))).toMatch(
    /^Share,HDFCBANK,INE040A01034,,,25,,41050,,43210\.75,,2160\.75,-2160\.75,No,/,
  );
  expect(lines.filter((line) => line.startsWith("Share,"))).toHaveLength(4);
});

test("futures and options are compared by contract", async ({ page, account }) => {
  await importFile(account, await fnoTradebook(`${account.email}-fno`), "zerodha", "fno");
  await page.goto(PAGE);
  await picker(page).setInputFiles(zerodhaFno());
  await expect(
    title(page, /^(Every contract agrees, some charges differ|Your log agrees with Zerodha)$/),
  ).toBeFocused();
  await expect(
    page.getByText("Gross P&L is the same in your log and at Zerodha: +\u2060₹7,500.00."),
  ).toBeVisible();
  await page.getByText("1 agree to the paisa", { exact: true }).click();
  await page.getByRole("link", { name: "NIFTY 26 Jun 2025 FUT" }).click();
  await expect(page.getByRole("heading", { name: "Closed trades" })).toBeVisible();
  await expect(page.getByText("1 of 1 closed trade", { exact: true })).toBeVisible();
});

test("Groww's stock report, which has company names, is compared by stock", async ({ page, account }) => {
  await importFile(account, await growwOrders(`${account.email}-groww`), "groww");
  await page.goto(PAGE);
  await picker(page).setInputFiles(growwStocks());
  await expect(
    page.getByText("Gross P&L is the same in your log and at Groww: +\u2060₹50.50."),
  ).toBeVisible();
  await page.getByText("1 agree to the paisa", { exact: true }).click();
  const agreeing = page.getByRole("region", { name: "Shares that agree" });
  await expect(agreeing.getByRole("rowheader")).toContainText("INFY");
  await expect(agreeing.getByRole("rowheader")).toContainText("INFOSYS LTD");
});

test("a wrong file is identified, with instructions", async ({ page, account, expectedErrors }) => {
  expectedErrors.push(/status of 422/);
  await page.goto(PAGE);
  const alert = page.getByRole("alert").filter({ hasText: /./ });
  await picker(page).setInputFiles({ ...zerodhaEquity(), name: "pnl.pdf" });
  await expect(alert).toHaveText("Choose an .xlsx, .xls or .csv file.");

  // Nothing is in the log yet.
  await picker(page).setInputFiles(zerodhaEquity());
  await expect(alert).toContainText("pnl-Equity.xlsx: ");
  await expect(alert.getByRole("link", { name: "Add Trades" })).toHaveAttribute("href", "/dashboard?panel=0");

  const tradebook = await writeTradebook(`${account.email}-wrong`, INTRADAY);
  await picker(page).setInputFiles(tradebook);
  await expect(alert).toContainText(/tradebook/i);
  await expect(alert.getByRole("link", { name: "Add Trades" })).toBeVisible();
  await expectAccessible(page);

  await picker(page).setInputFiles({
    name: "photos.csv",
    mimeType: "text/csv",
    buffer: Buffer.from("a,b\n1,2\n"),
  });
  await expect(alert).toContainText("photos.csv: ");
  await expect(alert).toContainText("Console, Reports, P&L");
  await expect(alert.getByRole("link", { name: "Add Trades" })).toHaveCount(0);
});

test("after an interrupted upload the file is kept, and a retry compares it", async ({
  page,
  account,
  baseURL,
  expectedErrors,
}) => {
  test.slow();
  expectedErrors.push(/ERR_|Failed to load resource/);
  await fill(account);
  const proxy = await startInterruptingProxy(baseURL ?? "", 400_000);
  await page.addInitScript((token) => localStorage.setItem("token", token), account.token);
  await page.goto(proxy.url + PAGE);
  await picker(page).setInputFiles(zerodhaEquity(1_000_000));
  const alert = page.getByRole("alert").filter({ hasText: "The connection was lost." });
  await expect(alert).toContainText("Your file is still selected.");
  await expect(page.getByText("pnl-Equity.xlsx", { exact: true })).toBeVisible();
  proxy.repair();
  await alert.getByRole("button", { name: "Try again" }).click();
  await expect(title(page, "2 of 4 shares differ")).toBeFocused();
  proxy.close();
});

test("a slow comparison shows its progress and can be cancelled", async ({ page, account }) => {
  await fill(account);
  await page.goto(PAGE);
  const release = await holdRequests(page, "**/api/v1/analytics/reconcile");
  await picker(page).setInputFiles(zerodhaEquity());
  await expect(page.getByRole("progressbar", { name: /pnl-Equity\.xlsx$/ })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Remove pnl-Equity.xlsx" }).click();
  await expect(page.getByText("Drop the file here, or choose it.")).toBeVisible();
  await picker(page).setInputFiles(zerodhaEquity());
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "The comparison was cancelled." })).toBeVisible();
  release();
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(title(page, "2 of 4 shares differ")).toBeFocused();
});

test("the report can be chosen and matching rows opened with the keyboard only", async ({
  page,
  account,
}) => {
  await fill(account);
  // Registered early, because the browser must be told to report the file chooser.
  const chooser = page.waitForEvent("filechooser");
  await page.goto(PAGE);
  await picker(page).focus();
  await page.keyboard.press("Enter");
  await (await chooser).setFiles(zerodhaEquity());
  await expect(title(page, "2 of 4 shares differ")).toBeFocused();
  const folded = page.locator("summary").filter({ hasText: "2 agree to the paisa" });
  await folded.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("region", { name: "Shares that agree" })).toBeVisible();
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`is accessible in ${colorScheme}, fits 320 px as cards, and prints`, async ({ page, account }) => {
    test.slow();
    await page.emulateMedia({ colorScheme });
    await fill(account);
    await compared(page);
    await page.getByText("2 agree to the paisa", { exact: true }).click();
    await expectAccessible(page);
    for (const width of [1280, 768, 320]) {
      await page.setViewportSize({ width, height: 720 });
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    }
    const cards = page.getByRole("list", { name: "Differences" });
    await expect(cards.getByRole("listitem").filter({ hasText: "HDFCBANK" })).toContainText(
      "Trades missing.",
    );
    await expectAccessible(page);

    await page.emulateMedia({ media: "print" });
    await expect(page.getByRole("button", { name: "Compare again" })).toBeHidden();
    await expect(cards).toBeVisible();
  });
}

test("a tax report is compared line by line with the heads of income, and downloaded", async ({
  page,
  account,
}) => {
  test.slow();
  await fill(account);
  await page.goto(PAGE);
  await picker(page).setInputFiles(zerodhaTaxReport(INTRADAY));
  await expect(title(page, "3 of 27 lines differ")).toBeFocused();
  await expect(page.getByText(/^Zerodha tax P&L, 1 Apr 2025 to 31 Mar 2026\./)).toBeVisible();
  await expect(page.getByText("The profit differs in: Short term, Long term.")).toBeVisible();
  const heads = page.getByRole("table", { name: "Heads of income" }).getByRole("row");
  await expect(heads.filter({ hasText: "Intraday" })).toContainText("+\u2060₹2,000.00+\u2060₹2,000.00");
  await expect(heads.filter({ hasText: "Short term" })).toContainText("+\u2060₹500.00+\u2060₹3,160.75");
  const groups = differing(page).getByRole("rowgroup");
  await expect(groups.filter({ hasText: "HDFCBANK" })).toContainText("Trades missing.");
  await expect(groups.filter({ hasText: "WIPRO" })).toContainText("Buy price missing.");
  await expect(groups.filter({ hasText: "TCS" })).toContainText("Other head of income.");
  await expect(page.getByText("1 row of the section “Mutual Funds” is not compared.")).toBeVisible();

  for (const [scheme, width] of [
    ["dark", 320],
    ["light", 320],
    ["light", 768],
    ["light", 1280],
    ["dark", 1280],
  ] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: 900 });
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await expectAccessible(page);
    await page.screenshot({ path: `${process.env.E2E_FILES}/tax-${scheme}-${width}.png`, fullPage: true });
  }

  await page.getByLabel("Likely reason").selectOption({ label: "Other head of income (1)" });
  await expect(differing(page).getByRole("link")).toHaveText(["TCS"]);
  await page.getByLabel("Likely reason").selectOption("");
  await expect(differing(page).getByRole("link")).toHaveCount(3);
  await page.getByRole("searchbox", { name: "Symbol" }).fill("infy");
  await page.getByText("24 lines agree", { exact: true }).click();
  await expect(page.getByRole("region", { name: "Lines that agree" }).getByRole("row")).toHaveCount(25);
  await expectAccessible(page);

  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download (CSV)" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe("tradebahi-reconcile-zerodha-tax-2025-04-01-2026-03-31.csv");
  const lines = (await readFile(await file.path(), "utf8")).split("\r\n");
  expect(lines.filter((line) => line.startsWith("Line,"))).toHaveLength(27);
  expect(lines.find((line) => line.includes("TCS"))).toMatch(
    /^Line,TCS,[A-Z0-9]+,,2025-06-03,2025-07-04,Short term,Long term,5,5,15000,15000,15500,15500,500,500,0,No,/,
  );

  await page.getByRole("searchbox", { name: "Symbol" }).fill("");
  await differing(page).getByRole("link", { name: "TCS" }).click();
  await expect(page.getByRole("heading", { name: "Shares: 1 closed trade" })).toBeVisible();
});

openTest(
  "a reader with a read-only token can compare, without links to the log",
  async ({ page, account }) => {
    await fill(account);
    const answer = await account.request.post("/api/v1/auth/handoff", { headers: bearer(account.token) });
    const { url }: { url: string } = await answer.json();
    await page.goto(url);
    await page.getByRole("link", { name: "Charges", exact: true }).click();
    await page.getByRole("link", { name: "Reconcile", exact: true }).click();
    await picker(page).setInputFiles(zerodhaEquity());
    await expect(title(page, "2 of 4 shares differ")).toBeFocused();
    await expect(differing(page)).toContainText("HDFCBANK");
    await expect(differing(page).getByRole("link")).toHaveCount(0);
  },
);

test("repairs make a tradebook agree with its report, and are undone with one press", async ({
  page,
  account,
}) => {
  await fill(account, [...INTRADAY, ...DELIVERY, ...LATER, ...MISSING_COST_BASIS]);
  await page.goto(PAGE);
  await picker(page).setInputFiles(zerodhaEquityWithoutCharges());
  await expect(title(page, "1 of 4 shares differs")).toBeFocused();
  const form = page.getByRole("form", { name: "Repair WIPRO" });
  // 20 bought for 4,000 in the report.
  const repair = form.getByRole("button", { name: "Enter 20 shares bought at ₹200.00 each" });
  await repair.click();
  await expect(form.getByText("Enter the day.")).toBeVisible();
  const day = form.getByLabel("Which day did you buy?");
  await expect(day).toBeFocused();
  await day.fill("2025-07-11");
  await expect(form.getByText("Enter a day up to 10 Jul 2025.")).toBeVisible();
  await expect(page.getByRole("button", { name: /^Apply/ })).toHaveCount(0);
  for (const [scheme, width] of [
    ["dark", 320],
    ["light", 1280],
  ] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: 900 });
    await expectAccessible(page);
    await page.screenshot({
      path: `${process.env.E2E_FILES}/repair-${scheme}-${width}.png`,
      fullPage: true,
    });
  }

  await day.fill("2025-01-10");
  await page.getByRole("button", { name: "Apply the repair" }).click();
  await expect(title(page, "Your log agrees with Zerodha")).toBeFocused();
  const applied = page.getByRole("status").filter({ hasText: "1 repair applied" });
  await expect(applied).toContainText("0 issues left.");
  await applied.getByRole("button", { name: "Undo" }).click();
  await expect(title(page, "1 of 4 shares differs")).toBeFocused();
});

test("a brokerage plan and other debits are taken from the report with one press, and undone", async ({
  page,
  account,
}) => {
  test.slow();
  await importFile(account, await fnoTradebook(`${account.email}-plan`), "zerodha", "fno");
  await page.goto(PAGE);
  await picker(page).setInputFiles(zerodhaFnoOfAPlan());
  await expect(title(page, "Every contract agrees, some charges differ")).toBeFocused();
  const plan = page.getByRole("button", { name: "Set ₹15.00 per order for futures from 1 Jun 2025 on" });
  const debits = page.getByRole("button", {
    name: "Add 2 entries to your ledger: ₹100.75 of costs outside trades",
  });
  await expect(plan).toBeVisible();
  await expect(debits).toBeVisible();
  for (const [scheme, width] of [
    ["dark", 320],
    ["light", 1280],
  ] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: 900 });
    await expectAccessible(page);
    await page.screenshot({ path: `${process.env.E2E_FILES}/plan-${scheme}-${width}.png`, fullPage: true });
  }

  await page.getByRole("button", { name: "Apply all 2 repairs" }).click();
  const brokerage = page
    .getByRole("table", { name: "Charges" })
    .getByRole("row")
    .filter({ hasText: "Brokerage" });
  await expect(brokerage).toContainText("₹30.00₹30.00");
  await expect(page.getByText("All entries of the report are in your ledger.")).toBeVisible();
  const added = page.getByRole("status").filter({ hasText: "2 entries added to your ledger" });
  const set = page.getByRole("status").filter({ hasText: "Brokerage set: ₹15.00 per order for futures" });
  await expect(plan).toBeHidden();
  await expectAccessible(page);

  await added.getByRole("button", { name: "Undo" }).click();
  await expect(debits).toBeVisible();
  await set.getByRole("button", { name: "Undo" }).click();
  await expect(plan).toBeVisible();
  await expect(set).toBeHidden();

  // Each repair also has a button of its own.
  await plan.click();
  await expect(brokerage).toContainText("₹30.00₹30.00");
  await expect(debits).toBeVisible();
  await page.goto("/account?tab=data");
  await page.getByText("Charges and dates").click();
  await expect(page.getByRole("textbox", { name: "₹ per order" })).toHaveValue("15");
});

test("all contracts of a report are settled at its values with one press", async ({ page, account }) => {
  await importFile(account, await fnoTradebook(`${account.email}-settled`), "zerodha", "fno");
  const timestamp = "2025-06-05T10:30:00+05:30";
  await addTrade(
    account,
    { symbol: "NIFTY25JUN24500CE", type: "buy", quantity: 75, price: 100, timestamp },
    { broker: "zerodha", tradetype: "fno" },
  );
  await page.goto(PAGE);
  await picker(page).setInputFiles(zerodhaFnoWithSettlement());
  await expect(title(page, "1 of 2 contracts differs")).toBeFocused();
  await expect(page.getByRole("button", { name: "Settle at ₹180.00" })).toBeVisible();
  await page.getByRole("button", { name: "Apply the repair" }).press("Enter");
  await expect(title(page, "Your log agrees with Zerodha")).toBeFocused();
  // 75 × 180 less 75 × 100.
  await expect(sumOf(page, "Gross P&L")).toContainText("+\u2060₹13,500.00+\u2060₹13,500.00");
});
