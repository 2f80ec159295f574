import type { Page } from "@playwright/test";
import { importFile } from "./accounts.ts";
import { addTrade } from "./entries.ts";
import { expect, expectAccessible, holdRequests, deskTest as test, waitForFonts } from "./test-fixtures.ts";
import { readTable, tableRows, tradeTable } from "./trade-table.ts";
import {
  expectedPrice,
  expectedRow,
  type FileTrade,
  ROWS,
  readTradesOf,
  tradebookPath,
} from "./tradebooks.ts";

const LOG = "/dashboard?panel=1";
const counted = (page: Page, text: string | RegExp) =>
  expect(page.getByRole("status").filter({ hasText: text })).toBeVisible();
const column = (page: Page, name: string) => page.getByRole("columnheader", { name });
const rows = (list: FileTrade[]) => list.map((trade) => expectedRow(trade, "zerodha"));

test.describe("a log without trades", () => {
  test("[2H-07] [2E-01] [2E-02] [2E-03] [2E-04] shows the empty state with a link to the form", async ({
    page,
  }) => {
    await page.goto(LOG);
    await expect(page.getByRole("heading", { name: "TradeLog is Empty" })).toBeVisible();
    await expect(page.getByText("You haven't added any trades yet.", { exact: true })).toBeVisible();
    await expect(
      page.getByText("Start adding trades to view them on the dashboard.", { exact: true }),
    ).toBeVisible();
    await page.getByRole("button", { name: "Add Trade", exact: true }).click();
    await expect(page).toHaveURL("/dashboard?panel=0");
    await expect(page.getByRole("link", { name: "Add Trades" })).toHaveAttribute("aria-current", "page");
  });

  test("[2U-07] [9X-02] a skeleton of 6 columns and 5 rows is shown while the log loads", async ({
    page,
  }) => {
    const release = await holdRequests(page, "**/trades/client*");
    await page.goto(LOG);
    await expect(page.getByRole("status").filter({ hasText: "Loading trades" })).toBeAttached();
    const lines = page.locator("main [aria-hidden=true] > div:has(> div)");
    // The first row is the header.
    await expect(lines).toHaveCount(1 + 5);
    for (const line of await lines.all()) await expect(line.locator("> div")).toHaveCount(6);
    release();
    await expect(page.getByRole("heading", { name: "TradeLog is Empty" })).toBeVisible();
    await expect(lines).toHaveCount(0);
  });

  test("[8E-10] a log that cannot be loaded shows an error in red, and Retry loads it", async ({
    page,
    expectedErrors,
  }) => {
    expectedErrors.push(/ERR_FAILED/);
    await page.route("**/trades/client*", (route) => route.abort());
    await page.goto(LOG);
    const sentence = page.getByText("Failed to load initial data.", { exact: true });
    await expect(sentence).toBeVisible();
    await expectRed(sentence);
    await expectAccessible(page);
    await page.unroute("**/trades/client*");
    await page.getByRole("button", { name: "Retry" }).click();
    await expect(page.getByRole("heading", { name: "TradeLog is Empty" })).toBeVisible();
  });

  test("[8E-09] the message of the server is shown if it has one", async ({ page, expectedErrors }) => {
    expectedErrors.push(/status of 503/);
    const detail = "The server is busy. Try again in a moment.";
    const problem = { type: "about:blank", title: "Busy", status: 503, detail, instance: "1", code: "busy" };
    await page.route("**/trades/client*", (route) =>
      route.fulfill({ status: 503, contentType: "application/problem+json", body: JSON.stringify(problem) }),
    );
    await page.goto(LOG);
    const sentence = page.getByText(detail, { exact: true });
    await expect(sentence).toBeVisible();
    await expectRed(sentence);
  });
});

test.describe("a log with sixty trades", () => {
  test.beforeEach(async ({ account, page }) => {
    await importFile(account, tradebookPath("zerodha", ROWS.some), "zerodha");
    await page.goto("/dashboard");
    // A URL without a panel opens the log if there are trades.
    await expect(page).toHaveURL(LOG);
    await expect(tradeTable(page)).toBeVisible();
  });

  test("sorts by every column and shows the sort order", async ({ page }) => {
    const fileTrades = await readTradesOf("zerodha", ROWS.some);
    await expect(column(page, "Timestamp")).toHaveAttribute("aria-sort", "descending");

    await column(page, "Price").getByRole("button").click();
    await expect(column(page, "Price")).toHaveAttribute("aria-sort", "descending");
    await expect(column(page, "Timestamp")).not.toHaveAttribute("aria-sort");
    await expect(page).toHaveURL(`${LOG}&sort=-price`);
    await counted(page, "60 trades, highest price first");
    expect(await readTable(page)).toEqual(
      rows(fileTrades.toSorted((a, b) => expectedPrice(b) - expectedPrice(a))),
    );

    await column(page, "Price").getByRole("button").click();
    await counted(page, "60 trades, lowest price first");
    expect(await readTable(page)).toEqual(
      rows(fileTrades.toSorted((a, b) => expectedPrice(a) - expectedPrice(b))),
    );

    for (const [name, first] of [
      ["Quantity", "1"],
      ["Symbol", "BAJAJ-AUTO"],
      ["Type", "BUY"],
      ["Broker", "Zerodha"],
      ["Timestamp", "1 Jan 2024, 9:15 am"],
    ] as const) {
      const head = column(page, name);
      await head.getByRole("button").click();
      await expect(head).toHaveAttribute("aria-sort");
      if ((await head.getAttribute("aria-sort")) === "descending") await head.getByRole("button").click();
      await expect(head).toHaveAttribute("aria-sort", "ascending");
      await expect(tableRows(page).first()).toContainText(first);
    }
  });

  for (const back of ["visibilitychange", "time"])
    test(`[T13] recovers by itself without an online event: ${back}`, async ({ page, expectedErrors }) => {
      expectedErrors.push(/ERR_INTERNET_DISCONNECTED/);
      await counted(page, "60 trades, newest first");
      if (back === "time") await page.clock.install();
      const path = "**/api/v1/trades/client?*";
      await page.route(path, (route) => route.abort("internetdisconnected"));
      await page.getByRole("searchbox", { name: "Symbol" }).fill("m&m");
      const failure = page.getByText("Failed to load initial data.");
      if (back === "time") await page.clock.runFor(3_000);
      await expect(failure.or(page.getByText("More trades could not be loaded."))).toBeVisible();
      await page.unroute(path);
      if (back === "time") await page.clock.runFor(16_000);
      else await page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));
      await counted(page, /^\d+ of 60 trades/);
      await expect(failure).toBeHidden();
    });

  test("[T13] offline it shows a message and continues by itself when online", async ({
    page,
    context,
    expectedErrors,
  }) => {
    expectedErrors.push(/ERR_INTERNET_DISCONNECTED/);
    await counted(page, "60 trades, newest first");
    await context.setOffline(true);
    await page.getByRole("searchbox", { name: "Symbol" }).fill("m&m");
    await expect(page.getByText("You're offline.", { exact: true })).toBeVisible();
    await context.setOffline(false);
    await counted(page, /^\d+ of 60 trades/);
  });

  test("filters by symbol, side and dates in India time, stored in the URL; Back and a reload keep them", async ({
    page,
  }) => {
    const fileTrades = await readTradesOf("zerodha", ROWS.some);
    await page.getByRole("searchbox", { name: "Symbol" }).fill("m&m");
    await counted(page, /^\d+ of 60 trades/);
    expect(await readTable(page)).toEqual(rows(fileTrades.filter(({ symbol }) => symbol === "M&M")));
    await expect(page).toHaveURL(`${LOG}&q=m%26m`);

    // The label is clicked; the checkbox changes before the URL and the trades.
    await page.getByRole("radio", { name: "SELL" }).check({ force: true });
    const sold = fileTrades.filter(({ symbol, type }) => symbol === "M&M" && type === "sell");
    await counted(page, `${sold.length} of 60 trades`);
    expect(await readTable(page)).toEqual(rows(sold));

    await page.getByRole("link", { name: "Add Trades" }).click();
    await expect(page).toHaveURL("/dashboard?panel=0");
    await page.goBack();
    await expect(page).toHaveURL(`${LOG}&q=m%26m&side=sell`);
    await counted(page, `${sold.length} of 60 trades`);
    await page.reload();
    await counted(page, `${sold.length} of 60 trades`);
    await expect(page.getByRole("searchbox", { name: "Symbol" })).toHaveValue("m&m");

    await page.getByRole("button", { name: "Clear filters" }).click();
    await counted(page, "60 trades, newest first");
    await page.getByRole("button", { name: "Period" }).click();
    await page.getByLabel("From").fill("2024-01-02");
    await page.getByLabel("To").fill("2024-01-03");
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    const days = fileTrades.filter(({ timestamp }) => /^2024-01-0[23]/.test(timestamp));
    await counted(page, `${days.length} of 60 trades`);
    expect(await readTable(page)).toEqual(rows(days));

    await page.getByLabel("Trade type").selectOption("Future & Option");
    await expect(page.getByRole("heading", { name: "No trades match these filters" })).toBeVisible();
    await page.getByRole("button", { name: "Clear filters" }).last().click();
    await counted(page, "60 trades, newest first");
  });

  test("does not shift when filters change", async ({ page }) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    const top = async () => (await tradeTable(page).boundingBox())?.y;
    await waitForFonts(page);
    const before = await top();
    await page.getByLabel("Broker", { exact: true }).selectOption("Zerodha");
    await page.getByLabel("Trade type").selectOption("Equity");
    // Until then the bar may move under a click.
    await expect(page).toHaveURL(/tradetype=equity/);
    await page.getByRole("radio", { name: "BUY" }).check({ force: true });
    await page.getByRole("button", { name: "Period" }).click();
    await page.getByLabel("From").fill("2023-12-28");
    await page.getByLabel("To").fill("2024-11-28");
    await page.keyboard.press("Escape");
    await counted(page, /^\d+ of 60 trades/);
    await expect(page.getByText("28 Dec 2023 to 28 Nov 2024")).toBeVisible();
    await expect.poll(top).toBe(before);
    await page.getByRole("button", { name: "Clear filters" }).click();
    await counted(page, /^60 trades/);
    await expect.poll(top).toBe(before);
  });

  test("does not shift at any width with a long period", async ({ page }) => {
    const top = async () => (await tradeTable(page).boundingBox())?.y;
    for (const width of [1024, 1152, 1216, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(LOG);
      await counted(page, "60 trades, newest first");
      await waitForFonts(page);
      const before = await top();
      await page.goto(`${LOG}&broker=zerodha&tradetype=equity&side=buy&from=2023-12-28&to=2024-11-28`);
      await expect(page.getByText("28 Dec 2023 to 28 Nov 2024")).toBeVisible();
      await counted(page, /^\d+ of 60 trades/);
      await expect.poll(top, `at ${width}`).toBe(before);
    }
  });

  test("Clear also clears input that is not applied yet", async ({ page }) => {
    await page.getByRole("radio", { name: "BUY" }).check({ force: true });
    await counted(page, /^\d+ of 60 trades/);
    const search = page.getByRole("searchbox", { name: "Symbol" });
    // The clock is stopped, so the input is not applied before the click.
    await page.clock.install();
    await search.fill("m&m");
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.clock.runFor(1_000);
    await expect(search).toHaveValue("");
    await expect(page).toHaveURL(LOG);
    await counted(page, "60 trades, newest first");
  });

  test("can be used with single keys", async ({ page }) => {
    const current = tradeTable(page).locator("tr[aria-current=true]");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await expect(current).toHaveAttribute("aria-rowindex", "3");
    await page.keyboard.press("k");
    await expect(current).toHaveAttribute("aria-rowindex", "2");
    await counted(page, /^Row 1: (BUY|SELL) /);

    await page.keyboard.press("/");
    await expect(page.getByRole("searchbox", { name: "Symbol" })).toBeFocused();
    await page.keyboard.type("jk");
    await expect(page.getByRole("heading", { name: "No trades match these filters" })).toBeVisible();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await expect(page.getByRole("searchbox", { name: "Symbol" })).not.toBeFocused();
    await counted(page, "60 trades, newest first");

    await page.keyboard.press("n");
    await expect(page).toHaveURL("/add-new-trades");
    await expect(page.getByRole("heading", { level: 1, name: "Add Another Trade" })).toBeFocused();
    await page.keyboard.press("g");
    await page.keyboard.press("l");
    await expect(page).toHaveURL(LOG);

    await page.keyboard.press("?");
    const list = page.getByRole("dialog", { name: "Shortcuts" });
    await expect(list).toBeVisible();
    await expectAccessible(page);
    await list.getByRole("checkbox").uncheck();
    await page.keyboard.press("Escape");
    await expect(list).toBeHidden();
    await page.keyboard.press("n");
    await expect(page).toHaveURL(LOG);
  });

  test("[2D-02] [2D-03] [2D-04] [9X-03] [2V-01] [2V-02] the desk has a collapsible sidebar and a top bar", async ({
    page,
  }) => {
    const sidebar = page.getByRole("navigation", { name: "Dashboard" });
    await expect(sidebar.getByRole("listitem").nth(0)).toHaveText("Add Trades");
    await expect(sidebar.getByRole("listitem").nth(1)).toHaveText("Trade Log");
    const width = async () => (await sidebar.boundingBox())?.width;
    expect(await width()).toBe(256);
    await page.getByRole("button", { name: "Collapse sidebar" }).click();
    await expect.poll(width).toBe(80);
    await page.reload();
    await expect.poll(width).toBe(80);
    await page.getByRole("button", { name: "Expand sidebar" }).click();
    await expect.poll(width).toBe(256);

    const bar = page.getByRole("banner");
    await expect(bar.getByText("Dashboard", { exact: true })).toBeVisible();
    await expect(bar.getByText("A", { exact: true })).toBeVisible();
    await bar.getByRole("button", { name: "Asha Rao, account", exact: true }).click();
    await page.getByRole("link", { name: "LogOut" }).click();
    await expect(page.getByRole("heading", { name: "Logging out..." })).toBeVisible();
    await expect(page).toHaveURL("/");
  });

  test("[4S-01] [7T-04] loads the trades once, however often the log is opened", async ({ page }) => {
    const asked: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/trades/client")) asked.push(request.url());
    });
    await page.reload();
    await expect(tradeTable(page)).toBeVisible();
    for (let round = 0; round < 2; round += 1) {
      await page.getByRole("link", { name: "Add Trades" }).click();
      await expect(page.getByRole("heading", { level: 1, name: "Add Trades" })).toBeVisible();
      await page.getByRole("link", { name: "Trade Log" }).click();
      await expect(tradeTable(page)).toBeVisible();
    }
    expect(asked).toHaveLength(1);
  });

  test("[2H-03] [9M-01] shows sides by word and colour, and rupees with Indian grouping", async ({
    page,
  }) => {
    for (const side of ["BUY", "SELL"]) {
      const pill = tableRows(page).getByText(side, { exact: true }).first();
      const colour = await pill.evaluate((element) => getComputedStyle(element).color);
      const [red = 0, green = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number);
      expect(green > red, `${side} is ${colour}`).toBe(side === "BUY");
    }
    await expect(page.getByRole("cell", { name: /^₹\d,\d{3}\.\d\d$/ }).first()).toBeVisible();
  });
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 360, height: 740 } });

  test("[2V-04] the log shows cards by day, the filters are a dialog, the sidebar is a drawer", async ({
    page,
    account,
  }) => {
    await importFile(account, tradebookPath("zerodha", ROWS.some), "zerodha");
    await page.goto(LOG);
    const cards = page.getByRole("list", { name: "Trades" });
    const fileTrades = await readTradesOf("zerodha", ROWS.some);
    const newest = fileTrades[0];
    if (!newest) throw new Error("The file is empty.");
    const [side, symbol, quantity, price, when, broker] = expectedRow(newest, "zerodha");
    const first = cards.locator("li[aria-posinset='1']");
    for (const words of [side, symbol, price, broker, when?.split(", ")[1], `Qty ${quantity}`])
      await expect(first).toContainText(words ?? "");
    await expect(cards.getByRole("heading").first()).toContainText("Fri, 5 Jan 2024");
    await expect(cards.getByRole("heading").first()).toContainText("12 trades");
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    await expectAccessible(page);

    // The first page is short, so that what is below the list can be reached.
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(2_500);
    await expect(page.getByText("20 of 60 trades")).toBeVisible();
    await page.getByRole("button", { name: "Show more" }).click();
    await expect(page.getByRole("button", { name: "Show more" })).toBeHidden();
    const last = cards.locator("li[aria-posinset='60']");
    await expect(async () => {
      await page.mouse.wheel(0, 5_000);
      await expect(last).toBeInViewport({ timeout: 200 });
    }).toPass();

    await page.getByRole("button", { name: "Filter" }).click();
    const dialog = page.getByRole("dialog", { name: "Filter and sort" });
    await dialog.getByLabel("Sort by").selectOption({ label: "Lowest price first" });
    await expectAccessible(page);
    await page.setViewportSize({ width: 320, height: 480 });
    for (const name of ["Clear filters", "Done"])
      await expect(dialog.getByRole("button", { name })).toBeInViewport({ ratio: 1 });
    await dialog.getByRole("button", { name: "Done" }).click();
    await counted(page, "60 trades, lowest price first");

    await page.getByRole("button", { name: "Open menu" }).click();
    const drawer = page.getByRole("dialog", { name: "TradeBahi" });
    await expect(drawer.getByText("TradeBahi")).toBeVisible();
    await expectAccessible(page);
    await drawer.getByRole("link", { name: "Add Trades" }).click();
    await expect(drawer).toBeHidden();
    await expect(page.getByRole("heading", { level: 1, name: "Add Trades" })).toBeFocused();
  });
});

test("three thousand trades are rendered a few rows at a time, down to the oldest", async ({
  page,
  account,
}) => {
  await importFile(account, tradebookPath("zerodha", ROWS.many), "zerodha");
  await page.goto(LOG);
  const table = tradeTable(page);
  await expect(table).toHaveAttribute("aria-rowcount", "3001");
  expect(await tableRows(page).count()).toBeLessThanOrEqual(60);

  const fileTrades = await readTradesOf("zerodha", ROWS.many);
  const oldest = fileTrades.at(-1);
  if (!oldest) throw new Error("The file is empty.");
  await page.getByRole("region", { name: "Trades" }).focus();
  await page.keyboard.press("End");
  const last = table.locator("tr[aria-rowindex='3001']");
  await expect(last).toContainText(oldest.symbol);
  await expect(last.getByRole("cell")).toHaveText([...expectedRow(oldest, "zerodha"), /./]);
  expect(await tableRows(page).count()).toBeLessThanOrEqual(60);
});

test("rows outside the scroll area do not make the page longer", async ({ page, account }) => {
  const trade = { symbol: "ITC", type: "buy", price: 430.05, quantity: 1, notes: "Held" } as const;
  for (let minute = 10; minute < 34; minute++)
    await addTrade(account, { ...trade, timestamp: `2026-02-02T10:${minute}:00+05:30` });
  await page.goto(LOG);
  await counted(page, "24 trades, newest first");
  expect(await tableRows(page).count()).toBeGreaterThan(12);
  const beyond = () =>
    page.evaluate(() => document.documentElement.scrollHeight - document.body.offsetHeight);
  expect(await beyond()).toBeLessThanOrEqual(0);
});

async function expectRed(locator: ReturnType<Page["locator"]>) {
  const colour = await locator.evaluate((element) => getComputedStyle(element).color);
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  expect(red, colour).toBeGreaterThan(2 * Math.max(green, blue));
}

test("trades that close lots show their net P&L, and columns can be hidden", async ({ page, account }) => {
  const buy = {
    type: "buy",
    symbol: "TCS",
    quantity: 5,
    price: 3000,
    timestamp: "2025-06-03T10:05:00+05:30",
  } as const;
  await addTrade(account, buy);
  await addTrade(account, { ...buy, type: "sell", price: 3100, timestamp: "2025-06-03T14:05:00+05:30" });
  await page.goto(LOG);
  const [sell, bought] = [tableRows(page).nth(0), tableRows(page).nth(1)];
  // 5 × 100 less charges.
  await expect(sell.getByRole("cell").last()).toHaveText(/^\+\u2060₹4\d\d\.\d\d$/);
  await expect(bought.getByRole("cell").last()).toHaveText("opens");
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("switch", { name: "Broker" }).click();
  await page.getByRole("switch", { name: "Net P&L" }).click();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(sell.getByRole("cell")).toHaveCount(5);
  await page.reload();
  await expect(column(page, "Broker")).toHaveCount(0);
});

test("twenty rows fit on a screen of 900 px, with the account details below them", async ({
  page,
  account,
}) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  await importFile(account, tradebookPath("zerodha", ROWS.few), "zerodha");
  await page.goto(LOG);
  await expect(tableRows(page).nth(19)).toBeInViewport({ ratio: 1 });
  // Not clipped by the scroll area.
  const visible = await page.getByRole("region", { name: "Trades" }).evaluate((box) => box.clientHeight);
  expect(visible).toBeGreaterThanOrEqual(21 * 32);
  await expect(page.getByText(account.email)).toBeVisible();
});
