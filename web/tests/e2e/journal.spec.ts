import type { Page, Request } from "@playwright/test";
import type { components } from "#lib/api-schema.d.ts";
import { bearer } from "./accounts.ts";
import { deskTest, expect, expectAccessible, holdRequests, test } from "./test-fixtures.ts";

type Entry = components["schemas"]["Entry"];

const ORIGIN = "https://tradebahi.example";
const KEYWORDS = [
  { path: "/stock-market-trading-journal", name: "Stock Market Trading Journal" },
  { path: "/free-trading-journal", name: "Free Trading Journal" },
  { path: "/ai-trading-journal", name: "AI Trading Journal" },
  { path: "/indian-stock-market-trading-journal", name: "Indian Stock Market Trading Journal" },
  { path: "/nse-trading-journal", name: "NSE Trading Journal" },
  { path: "/bse-trading-journal", name: "BSE Trading Journal" },
  { path: "/crypto-trading-journal", name: "Crypto Trading Journal" },
  { path: "/forex-trading-journal", name: "Forex Trading Journal" },
];
const JOURNALS = [
  { path: "/trading-journal", name: "Trading Journal", canonical: "/trading-journal" },
  { path: "/add-trade", name: "Trading Journal", canonical: "/trading-journal" },
  ...KEYWORDS.map(({ path, name }) => ({ path, name, canonical: path })),
];
const PAGE = "/nse-trading-journal";

const WON = {
  Symbol: "infy",
  Quantity: "75",
  "Buy price": "1588.40",
  "Sell price": "1602.55",
  "Target price": "1610",
  "Stop loss": "1575",
  "Buy date and time": "2025-06-20T10:22",
  "Sell date and time": "2025-06-20T14:05",
};
const LOST = { ...WON, Symbol: "sbin", Quantity: "50", "Buy price": "815.2", "Sell price": "806.4" };

const addTrade = (page: Page) => page.getByRole("button", { name: "Add Trade" });
const dialog = (page: Page) => page.getByRole("dialog", { name: "Add trade" });
const field = (page: Page, label: string) => dialog(page).getByLabel(label, { exact: true });
const entries = (page: Page) => page.getByRole("table", { name: "trades, newest first" }).locator("tbody tr");
const tab = (page: Page, name: string) => page.getByRole("tab", { name });
const stored = (page: Page) => page.getByText("Your Trade updates successfully", { exact: true });

async function openJournal(page: Page, path = PAGE) {
  await page.goto(path);
  await expect(tab(page, "Equity")).toHaveAccessibleName(/Equity \d/);
}

async function write(page: Page, trade: typeof WON) {
  await addTrade(page).click();
  for (const [label, value] of Object.entries(trade)) await field(page, label).fill(value);
}

async function save(page: Page) {
  await dialog(page).getByRole("button", { name: "Add Trade" }).click();
}

async function add(page: Page, trade: typeof WON) {
  await write(page, trade);
  await save(page);
  await expect(stored(page)).toBeVisible();
}

/** Records the requests of the page; Playwright does not see the body of a cloned request. */
async function sentBodies(page: Page): Promise<() => Promise<string[]>> {
  const bodies = await page.evaluateHandle(() => {
    const seen: string[] = [];
    const real = window.fetch;
    window.fetch = async (input, init) => {
      if (input instanceof Request && input.method === "POST") seen.push(await input.clone().text());
      return real(input, init);
    };
    return seen;
  });
  return () => bodies.jsonValue();
}

const isSave = (request: Request) =>
  request.method() === "POST" && new URL(request.url()).pathname === "/api/v1/trades";

for (const { path, name, canonical } of JOURNALS) {
  test(`[1P-01] [2K-01] [2K-02] [2K-05] [2K-06] [2K-07] [9C-04] ${path} is a complete page without JavaScript`, async ({
    browser,
    baseURL,
  }) => {
    const context = await browser.newContext({ baseURL: baseURL ?? "", javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(path);
    await expect(page).toHaveTitle(`${name} · TradeBahi`);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(name);
    await expect(page.locator("link[rel=canonical]")).toHaveAttribute("href", ORIGIN + canonical);
    await expect(page.locator("meta[name=description]")).toHaveAttribute("content", /^.{50,155}$/);

    const texts = await page.locator('script[type="application/ld+json"]').allTextContents();
    const things = new Map(texts.map((text) => JSON.parse(text)).map((thing) => [thing["@type"], thing]));
    const asked: string[] = things
      .get("FAQPage")
      .mainEntity.map((question: { name: string }) => question.name);
    expect(asked.length).toBeGreaterThanOrEqual(5);
    expect(await page.locator("summary").allTextContents()).toEqual(asked);
    expect(things.get("BreadcrumbList").itemListElement.at(-1)).toMatchObject({
      name,
      item: ORIGIN + canonical,
    });

    const related = page.getByRole("navigation", { name: "Related journals" }).getByRole("link");
    await expect(related).toHaveText(KEYWORDS.map(({ name }) => new RegExp(`^${name}`)));
    for (const [index, other] of KEYWORDS.entries()) {
      await expect(related.nth(index)).toHaveAttribute("href", other.path);
      if (other.path === path) await expect(related.nth(index)).toHaveAttribute("aria-current", "page");
    }
    await expect(page.locator("[aria-current=page]").filter({ hasText: "Journal" })).toHaveCount(
      KEYWORDS.some((keyword) => keyword.path === path) ? 1 : 0,
    );
    await context.close();
  });
}

test("[2K-03] [4K-01] [9T-05] intraday and equity are tabs, usable by mouse, keyboard and URL", async ({
  page,
}) => {
  await openJournal(page);
  await expect(tab(page, "Intraday")).toHaveAttribute("aria-selected", "true");
  await expect(page.getByRole("tabpanel")).toContainText("No intraday trades yet.");
  await tab(page, "Equity").click();
  await expect(page).toHaveURL(`${PAGE}?tab=equity`);
  await expect(page.getByRole("tabpanel", { name: "Equity" })).toContainText("No equity trades yet.");

  await page.keyboard.press("ArrowRight");
  await expect(tab(page, "Intraday")).toBeFocused();
  await expect(tab(page, "Intraday")).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("End");
  await expect(tab(page, "Equity")).toBeFocused();
  await page.goBack();
  await expect(tab(page, "Intraday")).toHaveAttribute("aria-selected", "true");
  await page.goto(`${PAGE}?tab=equity`);
  await expect(tab(page, "Equity")).toHaveAttribute("aria-selected", "true");
});

test("[2K-04] [4K-02] [4K-03] [4K-04] [3K-01] [3K-02] [3K-03] [7J-01] [7J-02] [7J-03] [5X-04] [5X-05] a new trade is listed first and is there after a reload", async ({
  page,
  request: stranger,
}) => {
  await openJournal(page);
  await addTrade(page).click();
  await expect(field(page, "Symbol")).toBeFocused();
  for (const label of ["Quantity", "Buy price", "Sell price", "Target price", "Stop loss"])
    await expect(field(page, label)).toHaveAttribute("type", "number");
  for (const label of ["Buy date and time", "Sell date and time"])
    await expect(field(page, label)).toHaveAttribute("type", "datetime-local");
  await page.keyboard.press("Escape");
  await expect(dialog(page)).toBeHidden();
  await expect(addTrade(page)).toBeFocused();

  await add(page, LOST);
  await write(page, WON);
  await expect(dialog(page).getByLabel("P&L, before charges")).toHaveText("+\u2060₹1,061.25 WIN");
  const sent = page.waitForRequest(isSave);
  const bodies = await sentBodies(page);
  await save(page);
  const request = await sent;
  expect(JSON.parse((await bodies()).at(-1) ?? "")).toEqual({
    type: "intraday",
    symbol: "INFY",
    quantity: 75,
    buyPrice: 1588.4,
    sellPrice: 1602.55,
    targetPrice: 1610,
    stopLoss: 1575,
    buyDateTime: "2025-06-20T10:22:00+05:30",
    sellDateTime: "2025-06-20T14:05:00+05:30",
    pnl: 1061.25,
    status: "WIN",
  });
  expect(request.headers()["idempotency-key"]).toMatch(/.{16,}/);
  const answer = await request.response();
  expect(answer?.status()).toBe(201);

  await expect(dialog(page)).toBeHidden();
  await expect(page.getByRole("alert").filter({ has: stored(page) })).toBeVisible();
  const expectBoth = async () => {
    await expect(entries(page)).toHaveCount(2);
    await expect(entries(page).first()).toContainText(
      /WIN.*INFY.*75.*₹1,588\.40.*20 Jun 2025, 10:22 am.*\+\u2060₹1,061\.25/,
    );
    await expect(entries(page).last()).toContainText(/LOSS.*SBIN.*−\u2060₹440\.00/);
    await expect(page.getByText("2 trades, 1 WIN and 1 LOSS. Before charges.")).toBeVisible();
    await expect(page.getByRole("row", { name: /^Total/ })).toContainText("+\u2060₹621.25");
    await expect(tab(page, "Intraday")).toHaveAccessibleName("Intraday 2");
  };
  await expectBoth();
  await addTrade(page).click();
  for (const label of Object.keys(WON)) await expect(field(page, label)).toHaveValue("");
  await page.reload();
  await expectBoth();

  const { data } = await (await page.request.get("/api/v1/trades/intraday")).json();
  expect(data.map(({ symbol, pnl, status }: Entry) => [symbol, pnl, status])).toEqual([
    ["INFY", 1061.25, "WIN"],
    ["SBIN", -440, "LOSS"],
  ]);
  const other = await (await stranger.get("/api/v1/trades/intraday")).json();
  expect(other).toMatchObject({ data: [], total: 0 });
});

test("[5X-03] every field is required, and nothing is sent before", async ({ page }) => {
  await openJournal(page);
  page.on("request", (request) => expect(isSave(request)).toBe(false));
  await addTrade(page).click();
  await save(page);
  const summary = dialog(page).getByRole("alert");
  await expect(summary).toBeFocused();
  await expect(summary.getByRole("link")).toHaveText([
    "Enter the symbol.",
    "Enter the quantity.",
    "Enter the buy price.",
    "Enter the sell price.",
    "Enter the target price.",
    "Enter the stop loss.",
    "Enter the buy date and time.",
    "Enter the sell date and time.",
  ]);
  await summary.getByRole("link", { name: "Enter the stop loss." }).click();
  await expect(field(page, "Stop loss")).toBeFocused();
});

test("[8E-13] a failed save is logged and shows one line, the form is kept, and a retry stores it once", async ({
  page,
  expectedErrors,
}) => {
  expectedErrors.push(/was not saved/, /ERR_CONNECTION_RESET/);
  await openJournal(page);
  const logged: string[] = [];
  page.on("console", (message) => logged.push(message.text()));
  // The server stores it, and the response is lost.
  await add(page, LOST);
  await page.route("**/api/v1/trades", async (route) => {
    await route.fetch();
    await route.abort("connectionreset");
  });
  await write(page, WON);
  await save(page);
  await expect(dialog(page).getByRole("alert")).toHaveText("Not saved. Try again.");
  await expect.poll(() => logged.join()).toContain("The trade was not saved.");
  for (const [label, value] of Object.entries(WON)) await expect(field(page, label)).toHaveValue(value);

  // After closing and reopening, the input is still there.
  await dialog(page).getByRole("button", { name: "Cancel" }).click();
  await addTrade(page).click();
  await expect(field(page, "Symbol")).toHaveValue("infy");
  await page.unroute("**/api/v1/trades");
  await save(page);
  await expect(stored(page)).toBeVisible();
  await expect(entries(page)).toHaveCount(2);
  await page.reload();
  await expect(entries(page)).toHaveCount(2);
});

test("selecting text beyond the edge of the dialog keeps it open; a click outside closes it", async ({
  page,
}) => {
  await openJournal(page);
  await addTrade(page).click();
  await field(page, "Symbol").fill("infy");
  await field(page, "Symbol").hover();
  await page.mouse.down();
  await page.mouse.move(5, 5);
  await page.mouse.up();
  await field(page, "Quantity").fill("75");
  await expect(field(page, "Symbol")).toHaveValue("infy");

  await page.mouse.click(5, 5);
  await expect(dialog(page)).toBeHidden();
});

test("server errors are shown at their fields", async ({ page, expectedErrors }) => {
  expectedErrors.push(/was not saved/, /status of 422/);
  await openJournal(page);
  // Each value is valid, but their product is above the limit.
  await write(page, { ...WON, Quantity: "999999999", "Sell price": "99999999" });
  await save(page);
  await expect(dialog(page).getByRole("alert")).toContainText("There is a problem");
  await expect(dialog(page).locator("[aria-invalid=true]")).not.toHaveCount(0);
  await expect(field(page, "Symbol")).toHaveValue("infy");
});

test("two visitors never see each other's journal", async ({ page, browser, baseURL }) => {
  await openJournal(page);
  await add(page, WON);
  const context = await browser.newContext({ baseURL: baseURL ?? "" });
  const other = await context.newPage();
  await openJournal(other);
  await expect(other.getByRole("tabpanel")).toContainText("No intraday trades yet.");
  await add(other, LOST);
  await other.reload();
  await expect(entries(other)).toHaveCount(1);
  await expect(entries(other)).toContainText("SBIN");
  await page.reload();
  await expect(entries(page)).toHaveCount(1);
  await expect(entries(page)).toContainText("INFY");
  const cookies = (await context.cookies()).filter(({ name }) => name === "journal");
  expect(cookies).toMatchObject([{ httpOnly: true, sameSite: "Lax" }]);
  await context.close();
});

test("the first saves in two tabs create one journal", async ({ page, context }) => {
  const second = await context.newPage();
  await Promise.all([openJournal(page), openJournal(second)]);
  await write(page, WON);
  await write(second, LOST);
  let sent = 0;
  context.on("request", (request) => {
    if (isSave(request)) sent += 1;
  });
  const releases = await Promise.all([page, second].map((tab) => holdRequests(tab, "**/api/v1/trades")));
  await save(page);
  await save(second);
  // One of them must wait; otherwise both would be sent now without a cookie.
  const waiting = () => second.evaluate(async () => (await navigator.locks.query()).pending?.length ?? 0);
  await expect.poll(async () => sent + (await waiting())).toBe(2);
  for (const release of releases) release();
  await expect(stored(page)).toBeVisible();
  await expect(stored(second)).toBeVisible();
  await page.reload();
  await expect(entries(page)).toHaveCount(2);
});

deskTest(
  "after a login one click moves the journal to the account",
  async ({ page, account, browser, baseURL }) => {
    // Trades of this browser from before the login.
    for (const [symbol, type] of [
      ["INFY", "intraday"],
      ["ITC", "equity"],
    ]) {
      const answer = await page.request.post("/api/v1/trades", {
        data: {
          type,
          symbol,
          quantity: 10,
          buyPrice: 100,
          sellPrice: 101.5,
          targetPrice: 105,
          stopLoss: 98,
          buyDateTime: "2025-06-20T10:22:00+05:30",
          sellDateTime: "2025-06-20T14:05:00+05:30",
          pnl: 15,
          status: "WIN",
        },
      });
      expect(answer.status()).toBe(201);
    }
    await openJournal(page);
    await page.getByRole("button", { name: "Keep these 2 trades in your account" }).click();
    await expect(page.getByText("2 trades are now in your account.")).toBeVisible();
    await expect(entries(page)).toContainText("INFY");
    await expect(page.getByRole("button", { name: /^Keep/ })).toBeHidden();

    // From another device, with the account only.
    const context = await browser.newContext({
      baseURL: baseURL ?? "",
      extraHTTPHeaders: bearer(account.token),
    });
    const equity = await (await context.request.get("/api/v1/trades/equity")).json();
    expect(equity).toMatchObject({ total: 1, data: [{ symbol: "ITC" }], anonymous: false });
    await context.close();
  },
);

test("ten thousand trades are loaded in pages, with the totals of all", async ({ page }) => {
  const one = (id: number) => ({
    id: String(id),
    type: "intraday",
    symbol: `S${id}`,
    quantity: 1,
    buyPrice: 100,
    sellPrice: 101,
    targetPrice: 102,
    stopLoss: 99,
    buyDateTime: "2025-06-20T10:22:00+05:30",
    sellDateTime: "2025-06-20T14:05:00+05:30",
    pnl: 1,
    status: "WIN",
  });
  await page.route("**/api/v1/trades/intraday?*", (route) => {
    const query = new URL(route.request().url()).searchParams;
    const before = Number(query.get("cursor") ?? 10_001);
    const data = Array.from({ length: Number(query.get("limit")) }, (_, row) => one(before - 1 - row));
    const nextCursor = String(before - data.length);
    return route.fulfill({
      json: { data, total: 10_000, pnl: 10_000, wins: 10_000, anonymous: true, nextCursor },
    });
  });
  await openJournal(page);
  await expect(page.getByText("10,000 trades, 10,000 WIN and 0 LOSS. Before charges.")).toBeVisible();
  await expect(entries(page)).toHaveCount(100);
  await page.getByRole("button", { name: "Show more" }).click();
  await expect(entries(page)).toHaveCount(200);
  await expect(entries(page).last()).toContainText("S9801");
  await expect(page.getByText("200 of 10,000 shown")).toBeVisible();
});

test("the article below does not shift when the trades load", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await openJournal(page);
  for (const trade of Array(8).fill(WON)) await add(page, trade);

  await page.addInitScript(() => {
    const moved: number[] = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if ("value" in entry) moved.push(Number(entry.value));
    }).observe({ type: "layout-shift", buffered: true });
    Object.assign(window, { moved });
  });
  const answers = await holdRequests(page, "**/api/v1/trades/*");
  await page.reload();
  await expect(page.getByRole("tabpanel")).toBeVisible();
  answers();
  await expect(entries(page)).toHaveCount(8);
  await page.evaluate(
    () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
  );
  const moved = await page.evaluate(() => (window as unknown as { moved: number[] }).moved);
  expect(moved.reduce((sum, value) => sum + value, 0)).toBeLessThan(0.02);
});

test("a journal that cannot be loaded shows an error, and Retry loads it", async ({
  page,
  expectedErrors,
}) => {
  expectedErrors.push(/ERR_FAILED/);
  await page.route("**/api/v1/trades/intraday?*", (route) => route.abort());
  await page.goto(PAGE);
  await expect(page.getByText("Your journal could not be loaded.")).toBeVisible();
  await page.unroute("**/api/v1/trades/intraday?*");
  await page.getByRole("button", { name: "Retry" }).click();
  await expect(page.getByRole("tabpanel")).toContainText("No intraday trades yet.");
});

test("a trade can be entered with the keyboard only", async ({ page }) => {
  await openJournal(page);
  await addTrade(page).focus();
  await page.keyboard.press("Enter");
  await expect(field(page, "Symbol")).toBeFocused();
  for (const [label, value] of Object.entries(WON)) {
    await expect(field(page, label)).toBeFocused();
    if (label.endsWith("time")) {
      // The parts of a date are separate tab stops.
      await field(page, label).fill(value);
      while (await field(page, label).evaluate((input) => input === document.activeElement))
        await page.keyboard.press("Tab");
    } else {
      await page.keyboard.type(value);
      await page.keyboard.press("Tab");
    }
  }
  await expect(dialog(page).getByRole("button", { name: "Cancel" })).toBeFocused();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(stored(page)).toBeVisible();
  await expect(addTrade(page)).toBeFocused();
  await expect(entries(page)).toHaveCount(1);
});

deskTest("the article is shown before and after its script has loaded", async ({ page }) => {
  const words = page.getByText("Which symbol do I use for an NSE share?");
  const release = await holdRequests(page, "**/journal-article-*.js");
  await page.goto(PAGE);
  await expect(page.getByRole("link", { name: "Logout" })).toBeVisible();
  await addTrade(page).click();
  await expect(words).toBeVisible();
  release();
  // A click before hydration is not lost.
  await expect(dialog(page)).toBeVisible();
  await page.keyboard.press("Escape");
  await tab(page, "Equity").click();
  await expect(words).toBeVisible();

  await page.getByText("Are the prices filled in for me?").click();
  await expect(page.getByText("This page has no market data")).toBeVisible();
  await page.getByRole("link", { name: "BSE Trading Journal" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "BSE Trading Journal" })).toBeFocused();
  await expect(page.getByText("Symbol or scrip code?")).toBeVisible();
});

test("every journal page fits 320 px", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  for (const { path } of JOURNALS) {
    await openJournal(page, path);
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth), path).toBe(320);
  }
});

for (const media of [
  { colorScheme: "light", reducedMotion: "no-preference" },
  { colorScheme: "dark", reducedMotion: "reduce" },
] as const) {
  test(`a journal with trades is accessible in ${media.colorScheme}, and fits 320 px`, async ({ page }) => {
    await page.emulateMedia(media);
    await openJournal(page, "/crypto-trading-journal");
    await add(page, {
      ...WON,
      Symbol: "BTC",
      Quantity: "0.025",
      "Buy price": "8500000",
      "Sell price": "8740000",
    });
    await expectAccessible(page);
    await addTrade(page).click();
    await expect(field(page, "Symbol")).toBeFocused();
    await expectAccessible(page);
    await save(page);
    await expect(dialog(page).getByRole("alert")).toBeVisible();
    await page.setViewportSize({ width: 320, height: 640 });
    await expectAccessible(page);
    await expect.poll(() => dialog(page).evaluate((node) => node.scrollWidth - node.clientWidth)).toBe(0);
    await page.keyboard.press("Escape");

    await expect(page.getByRole("listitem").filter({ hasText: "BTC" })).toContainText("₹85,00,000.00");
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    await expectAccessible(page);
  });
}
