import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { type Account, bearer, importFile } from "./accounts.ts";
import { DELIVERY, INTRADAY, MISSING_COST_BASIS, writeTradebook } from "./analytics-book.ts";
import { deskTest, expect, expectAccessible, test } from "./test-fixtures.ts";

const ALL = [...INTRADAY, ...DELIVERY, ...MISSING_COST_BASIS];

async function fill(account: Account, fills: typeof INTRADAY = ALL): Promise<void> {
  const name = `${account.email}-${fills.length}`;
  await importFile(account, await writeTradebook(name, fills), "zerodha");
}

/** Requests a handoff URL, as See Analytics does. */
async function handOff({ request, token }: Account): Promise<string> {
  const response = await request.post("/api/v1/auth/handoff", { headers: bearer(token) });
  expect(response.status()).toBe(200);
  const { url }: { url: string } = await response.json();
  return url;
}

const figures = (page: Page) => page.getByRole("region", { name: "Figures", exact: true });
/** Returns the signed amounts in which a line break between the sign and the ₹ is possible. */
async function partedSigns(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const narrow = document.createElement("p");
    narrow.style.cssText = "width: 0; overflow-wrap: normal";
    document.body.append(narrow);
    const amounts = document.body.textContent.match(/[+\u2212]\P{L}?₹[\d,.]+/gu) ?? [];
    if (amounts.length === 0) throw new Error("There is no amount with a sign.");
    const parted = amounts.filter((amount) => {
      narrow.textContent = amount;
      const all = document.createRange();
      all.selectNodeContents(narrow);
      return new Set([...all.getClientRects()].map(({ top }) => top)).size > 1;
    });
    narrow.remove();
    return parted;
  });
}

const counted = (page: Page, text: string | RegExp) =>
  expect(page.getByRole("status").filter({ hasText: text }).first()).toBeVisible();

test("a handoff works on every page of the analytics, and the token leaves the address", async ({
  page,
  account,
}) => {
  await fill(account);
  const token = new URL(await handOff(account)).searchParams.get("token") ?? "";
  await page.goto(`/analytics/trades?token=${token}&side=long`);
  await expect(page.getByText("25 of 25 positions")).toBeVisible();
  await expect(page).toHaveURL("/analytics/trades?side=long");
  await expect(page.getByText(/read-only until \d/)).toBeVisible();
});

test("[1A-05] [7A-08] a handoff opens read-only analytics in a browser without a session", async ({
  page,
  account,
}) => {
  test.slow();
  await fill(account);
  await page.goto(await handOff(account));
  await expect(page.getByText(/Asha Rao.*read-only until \d/)).toBeVisible();
  await expect(page).toHaveURL("/analytics");
  await expect(figures(page)).toContainText("17 won, 8 lost");
  // Every page can be read.
  const pages = page.getByRole("navigation", { name: "Analytics" });
  for (const [name, heading] of [
    ["Breakdown", "Breakdown"],
    ["Charges", /^Charges took \d+% of gross profit$/],
    ["Tax", "Tax"],
    ["Fix", "1 data issue"],
    ["Trades", "Trades"],
  ] as const) {
    await pages.getByRole("link", { name }).click();
    await expect(page.getByRole("heading", { level: 1, name: heading })).toBeVisible();
    await expect(page.getByText(/read-only until \d/)).toBeVisible();
  }
  await page.getByRole("row").getByRole("link", { name: "TCS" }).click();
  const panel = page.getByRole("dialog", { name: "TCS" });
  await expect(panel).toContainText("+\u2060₹500.00");
  await panel.getByRole("button", { name: "Close" }).click();
  // A sell without a buy price is listed, but only the owner can enter one.
  await pages.getByRole("link", { name: "Fix" }).click();
  await expect(page.getByRole("heading", { name: "1 WIPRO sell has no buy price" })).toBeVisible();
  await expect(page.getByRole("button", { name: /^(Save|Enter)/ })).toHaveCount(0);
  await expect(page.getByRole("navigation", { name: "Dashboard" })).toHaveCount(0);
  expect(
    await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])),
  ).not.toContain("eyJ");
  await expectAccessible(page);
});

deskTest.describe("at one's own desk", () => {
  deskTest.beforeEach(async ({ account, page }) => {
    // The page is long, and axe checks all of it.
    deskTest.slow();
    await fill(account);
    await page.goto("/dashboard?panel=1");
    await page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "Overview" }).click();
    await expect(page).toHaveURL("/analytics");
    await expect(figures(page)).toBeVisible();
  });

  deskTest("the sidebar opens analytics that match the book", async ({ page }) => {
    // 17 of 25 won; 2,000 intraday and 500 delivery.
    await expect(
      page.getByRole("heading", { level: 1, name: /^You kept ₹[\d,]+ of ₹2,500 gross profit$/ }),
    ).toBeVisible();
    await counted(page, "25 positions, 2 Jun to 4 Jul 2025. Charges are estimated.");
    await expect(figures(page)).toContainText("68.0%");
    await expect(figures(page)).toContainText("17 won, 8 lost");
    await expect(figures(page)).toContainText("₹2,500 gross");
    await expect(page.getByRole("link", { name: "Overview" })).toHaveAttribute("aria-current", "page");
  });

  deskTest("the unit of the figures can be chosen, and their sums stay the same", async ({ page }) => {
    await expect(figures(page)).toContainText("17 of 25 positions");
    await expect(figures(page)).toContainText("average per position");
    await page.getByRole("combobox", { name: "Count" }).selectOption({ label: "Closed trades" });
    await expect(page).toHaveURL(/unit=closedTrades/);
    await expect(figures(page)).toContainText("17 of 25 closed trades");
    await expect(figures(page)).toContainText("₹2,500 gross");
    // The other pages keep it.
    await page.getByRole("link", { name: "Trades", exact: true }).click();
    await expect(page.getByText("25 of 25 closed trades")).toBeVisible();
  });

  deskTest(
    "addresses of the former single page lead to the page that has the content now",
    async ({ page }) => {
      for (const [before, after] of [
        ["/analytics?result=loss#closed-trades", "/analytics/trades?result=loss"],
        ["/analytics?panel=reconcile", "/analytics/charges?panel=reconcile"],
        ["/analytics#corporate-actions", "/analytics/fix"],
      ] as const) {
        await page.goto(before);
        await expect(page).toHaveURL(after);
      }
    },
  );

  deskTest(
    "a position shows its trades, lots and charges in a panel with its own address",
    async ({ page }) => {
      await page.goto("/analytics/trades");
      const rows = page.getByRole("region", { name: "List of positions" });
      await expect(rows.getByRole("row").filter({ hasText: "4 Jul" })).toContainText("1 position");
      await expect(rows.getByRole("row").filter({ hasText: "All positions that match" })).toContainText("₹");
      await rows.getByRole("link", { name: "TCS" }).focus();
      await page.keyboard.press("Enter");
      const panel = page.getByRole("dialog", { name: "TCS" });
      await expect(panel.getByRole("button", { name: "Close" })).toBeFocused();
      await expect(panel).toContainText("Held31 days");
      const trades = panel.getByRole("region", { name: "Trades and lots" });
      await expect(trades.getByRole("row").nth(1)).toContainText(/3 Jun, .*BUY5₹3,000\.00Lot 1/);
      await expect(trades.getByRole("row").nth(2)).toContainText(
        /4 Jul, .*SELL5₹3,100\.00closes 1\+\u2060₹500\.00/,
      );
      await panel.getByText("Charges by rule").click();
      await expect(panel.getByRole("listitem").filter({ hasText: "STT" })).toHaveCount(2);
      await expectAccessible(page);
      // The position also has a page, which can be loaded by its address.
      await panel.getByRole("link", { name: "Open page" }).click();
      await expect(page).toHaveURL(/\/analytics\/positions\/[0-9a-f]{20}$/);
      await expect(page.getByRole("heading", { level: 1, name: "TCS" })).toBeFocused();
      await page.reload();
      await expect(page.getByRole("heading", { level: 1, name: "TCS" })).toBeVisible();
      await expect(
        page.getByRole("region", { name: "Trades and lots" }).getByRole("row").nth(1),
      ).toContainText("Lot 1");
      await expectAccessible(page);
      await page.goBack();
      // The address opens the same panel, and Back closes it.
      await page.reload();
      await expect(panel).toBeVisible();
      await page.keyboard.press("Escape");
      await expect(panel).toBeHidden();
      await expect(page).toHaveURL("/analytics/trades");
      await page.goBack();
      await expect(panel).toBeVisible();
      await panel.getByRole("button", { name: "Next position" }).click();
      await expect(page.getByRole("dialog", { name: "INFY" })).toBeVisible();
      await page
        .getByRole("dialog")
        .getByRole("link", { name: /, 11:00/ })
        .click();
      await expect(page).toHaveURL(/\/dashboard\?panel=1&trade=/);
    },
  );

  deskTest("the address of a position that no longer exists says so", async ({ page, expectedErrors }) => {
    expectedErrors.push(/404/);
    await page.goto(`/analytics/positions/${"0".repeat(20)}`);
    await expect(page.getByRole("heading", { level: 1, name: "Position not found" })).toBeVisible();
    await page.getByRole("main").getByRole("link", { name: "Trades" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Trades" })).toBeVisible();
  });

  deskTest(
    "on a phone the bar at the bottom leads to the pages, and the rest is behind More",
    async ({ page }) => {
      await page.setViewportSize({ width: 360, height: 740 });
      const bar = page.getByRole("navigation", { name: "Pages" });
      await bar.getByRole("link", { name: "Trades" }).click();
      await expect(page).toHaveURL("/analytics/trades");
      await expect(bar.getByRole("link", { name: "Trades" })).toHaveAttribute("aria-current", "page");
      await bar.getByRole("button", { name: "More" }).click();
      await page.getByRole("dialog", { name: "TradeBahi" }).getByRole("link", { name: "Tax" }).click();
      await expect(page.getByRole("heading", { level: 1, name: "Tax" })).toBeFocused();
      for (const path of [
        "/analytics",
        "/analytics/trades",
        "/analytics/breakdown",
        "/analytics/charges",
        "/analytics/tax",
      ]) {
        await page.goto(path);
        await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
        await expect(page.getByText(/^Loading/)).toHaveCount(0);
        const height = await page.evaluate(() => document.documentElement.scrollHeight);
        expect(height, path).toBeLessThan(2_500);
      }
    },
  );

  deskTest(
    "filters apply to every figure, are stored in the URL, and can be cleared at once",
    async ({ page }) => {
      // The breakdown below has an element of the same name once it has loaded.
      await page.getByRole("combobox", { name: "Segment" }).selectOption({ label: "Delivery" });
      await counted(page, "Delivery. 1 position, 4 Jul 2025.");
      await expect(page).toHaveURL(/segment=delivery/);
      await expect(page.getByText("Too few trades: 1 position")).toBeVisible();
      await expect(figures(page)).toContainText("too few trades");

      await page.reload();
      await counted(page, "Delivery. 1 position");
      await page.getByRole("button", { name: "Clear filters" }).click();
      await counted(page, "25 positions");

      await page.getByRole("button", { name: "Period: All time" }).click();
      await page.getByRole("button", { name: "FY 2025–26" }).click();
      await expect(page).toHaveURL(/from=2025-04-01&to=2026-03-31/);
      await counted(page, "25 positions");
      await page.getByRole("button", { name: "Period: FY 2025–26" }).click();
      await page.getByLabel("To", { exact: true }).fill("2025-06-06");
      await counted(page, "5 positions, 2 to 6 Jun 2025");
      await page.keyboard.press("Escape");
      await page.getByLabel("Symbol", { exact: true }).and(page.locator("select")).selectOption("TCS");
      await expect(page.getByRole("heading", { name: "No positions match these filters" })).toBeVisible();
    },
  );

  deskTest("a figure links to its positions, and closed trades to their trades", async ({ page }) => {
    await page.getByRole("link", { name: "8 lost" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Trades" })).toBeFocused();
    await expect(page.getByRole("heading", { name: "Losers: 8 positions" })).toBeVisible();
    await page.getByRole("button", { name: "Show all positions" }).click();
    await expect(page.getByText("25 of 25 positions")).toBeVisible();

    await page.goto("/analytics");
    await page.getByRole("link", { name: /^TCS \+\u2060₹4\d\d$/ }).click();
    await expect(page.getByRole("dialog", { name: "TCS" })).toBeVisible();

    await page.goto("/analytics");
    await page.getByRole("link", { name: /^4 Jul 2025, \+\u2060₹\d+, \d closed trades?$/ }).click();
    await expect(page.getByRole("heading", { name: "4 Jul 2025: 1 position" })).toBeVisible();
    await page.goto("/analytics/trades?day=2025-07-04&unit=closedTrades");
    const closedTrades = page.getByRole("region", { name: /^4 Jul 2025: / });
    await closedTrades.getByText("TCS").click();
    await expect(closedTrades.getByText(/holding time 31 days/)).toBeVisible();
    await expect(closedTrades.getByRole("table")).toContainText("+\u2060₹500.00");
    await expectAccessible(page);

    await closedTrades.getByRole("link", { name: "3 Jun 2025: 5 for ₹15,000.00" }).click();
    await expect(page).toHaveURL(/\/dashboard\?panel=1&trade=/);
    await expect(page.getByRole("dialog", { name: /TCS/ })).toBeVisible();
  });

  deskTest("every chart is available as a table and by keyboard", async ({ page }) => {
    const curve = page.getByLabel("Result by day");
    await curve.focus();
    await page.keyboard.press("Home");
    await expect(curve).toHaveAttribute("aria-valuetext", /^2 Jun 2025: \+\u2060₹1\d\d that day, /);
    await page.keyboard.press("ArrowRight");
    await expect(curve).toHaveAttribute("aria-valuetext", /^3 Jun 2025: /);

    const buttons = page.getByRole("button", { name: "Show as table" });
    await expect(buttons).toHaveCount(2);
    for (const button of await buttons.all()) await button.click();
    const days = page.getByRole("region", { name: "Calendar by day" });
    await expect(days.getByRole("row")).toHaveCount(26);
    await expect(days.getByRole("row").last()).toContainText("2 Jun 2025");
    await expectAccessible(page);

    await page.goto("/analytics/breakdown");
    await expect(buttons).toHaveCount(3);
    for (const button of await buttons.all()) await button.click();
    for (const name of [
      "Distribution of results",
      "Intraday and F&O results by weekday and hour",
      "Cumulative net P&L by symbol and day",
    ])
      await expect(page.getByRole("region", { name })).toBeVisible();
    await expectAccessible(page);
    await page.goto("/analytics/charges");
    await buttons.click();
    await expect(page.getByRole("region", { name: "Charges and their rules" })).toContainText("STT");
    await expectAccessible(page);
  });

  for (const { picture, figure, behind } of [
    { picture: "Distribution of results", figure: /^₹[\d,]+ to ₹[\d,]+$/, behind: /^₹[\d,]+ to ₹[\d,]+: / },
    {
      picture: "Intraday and F&O results by weekday and hour",
      figure: /^Mondays from /,
      behind: /^Mondays from 9 to 10 am: /,
    },
  ])
    deskTest(`table rows link to their positions: ${picture}`, async ({ page }) => {
      await page.goto("/analytics/breakdown");
      await expect(page.getByRole("button", { name: "Show as table" })).toHaveCount(3);
      for (const button of await page.getByRole("button", { name: "Show as table" }).all())
        await button.click();
      const row = page
        .getByRole("region", { name: picture, exact: true })
        .getByRole("row")
        .filter({ has: page.getByRole("link", { name: figure }) })
        .filter({ has: page.getByRole("cell", { name: /^[1-9]/ }) })
        .first();
      const positions = await row.getByRole("cell").first().textContent();
      await row.getByRole("link").click();
      const heading = page.getByRole("heading", { name: behind });
      await expect(heading).toContainText(`: ${positions} position`);
    });

  deskTest("an hour of a weekday links to its positions", async ({ page }) => {
    await page.goto("/analytics/breakdown");
    const grid = page.getByRole("row", { name: /^9 to 10 am/ });
    await grid
      .getByRole("link", { name: /, 5 positions$/ })
      .first()
      .click();
    await expect(page.getByRole("heading", { name: /^\w+days from 9 to 10 am: 5 positions$/ })).toBeVisible();
  });

  deskTest("breakdowns can be compared", async ({ page }) => {
    await page.goto("/analytics/breakdown");
    const groups = page.getByRole("region", { name: "Figures by symbol" });
    await expect(groups.getByRole("row").filter({ hasText: "INFY" })).toContainText("66.7%");
    await expect(groups.getByRole("row").filter({ hasText: "TCS" })).toContainText("too few trades");
    await page.getByRole("group", { name: "Group by" }).getByText("Weekday", { exact: true }).click();
    const weekdays = page.getByRole("region", { name: "Figures by weekday" });
    await expect(weekdays.getByRole("rowheader")).toHaveText([
      "Monday",
      "Tuesday",
      "Wednesday",
      "Thursday",
      "Friday",
    ]);
    await weekdays.getByRole("link", { name: "Monday" }).click();
    await expect(page.getByRole("heading", { name: "Monday: 5 positions" })).toBeVisible();
  });

  deskTest("[T9] data issues are counted within the filters", async ({ page }) => {
    const note = page.getByText("1 sell has no buy price", { exact: true }).first();
    await expect(note).toBeVisible();
    await page.goto("/analytics?symbol=INFY");
    await expect(page.getByText("1 data issue outside these filters")).toBeVisible();
    await expect(page.getByRole("main").getByRole("link", { name: "Fix" })).toBeVisible();
    await page.goto("/analytics?symbol=WIPRO");
    await expect(page.getByText("No positions match these filters")).toBeVisible();
  });

  deskTest("[T15] [T5] each tile says what it counts, and that charges are deducted", async ({ page }) => {
    for (const term of [
      "Net P&L",
      "Win rate",
      "Profit factor",
      "Expectancy",
      "Average win and loss",
      "Max drawdown",
    ])
      await expect(figures(page).getByText(`${term}, after charges`, { exact: true })).toBeVisible();
    await expect(figures(page)).toContainText("17 of 25 positions");
    await expect(figures(page)).toContainText(
      "A position is one instrument in one account, from flat to flat",
    );
    await expect(figures(page)).toContainText("Largest entry value at a time (not margin)");
    await expect(page.locator("body")).not.toContainText(/capital used|margin used/i);
  });

  deskTest("[T12] with weekends, each day of the calendar holds its amount", async ({ page, account }) => {
    const saturday = INTRADAY.slice(0, 2).map((one) => ({
      ...one,
      at: one.at.replace(/^.*T/, "2025-02-01T"),
    }));
    await fill(account, saturday);
    await page.goto("/analytics");
    await expect(page.getByRole("columnheader", { name: "Sat" }).first()).toBeVisible();
    for (const width of [320, 640, 1024, 1280, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      const over = await page.getByRole("link", { name: /closed trades?$/ }).evaluateAll((links) =>
        links
          .filter((link) =>
            link
              .closest("table")
              ?.querySelector("caption")
              ?.textContent?.match(/20\d\d/),
          )
          .filter((link) => {
            const cell = link.getBoundingClientRect();
            return [...link.querySelectorAll("[aria-hidden] *, [aria-hidden]")].some((part) => {
              const range = document.createRange();
              range.selectNodeContents(part);
              return [...range.getClientRects()].some(
                ({ left, right }) => left < cell.left - 0.5 || right > cell.right + 0.5,
              );
            });
          })
          .map((link) => link.textContent),
      );
      expect(over, `at ${width} px`).toEqual([]);
    }
  });

  deskTest("the tax pack of a year is shown and can be downloaded as CSV and Excel", async ({ page }) => {
    await page.goto("/analytics/tax");
    await expect(page.getByRole("heading", { name: "Tax pack, FY 2025–26" })).toBeVisible();
    const business = page.getByRole("region", { name: "Business income" });
    // Turnover is profits 16 × 200 plus losses 8 × 150.
    await expect(business.getByRole("row").filter({ hasText: "Intraday" })).toContainText(
      /24₹3,200\.00−\u2060₹1,200\.00₹4,400\.00/,
    );
    await expect(page.getByRole("region", { name: "Short-term capital gains" })).toContainText("₹15,500.00");

    for (const [name, ending, content] of [
      ["Tax pack as CSV", "csv", "INFY"],
      ["Tax pack as Excel", "xlsx", "PK"],
      ["Tax pack as Schedule 112A", "csv", "ISIN Code(2)"],
    ] as const) {
      const download = page.waitForEvent("download");
      await page.getByRole("button", { name }).click();
      const file = await download;
      expect(file.suggestedFilename()).toMatch(new RegExp(`2025-26\\.${ending}$`));
      const bytes = await readFile(await file.path());
      expect(bytes.subarray(0, 2).toString() === "PK").toBe(ending === "xlsx");
      expect(bytes.toString()).toContain(content);
    }
  });

  deskTest("the result can be shared as an image, with or without amounts", async ({ page }) => {
    for (const [choice, name] of [
      ["Download image with amounts", "tradebahi-analytics.png"],
      ["Download image without amounts", "tradebahi-analytics-without-amounts.png"],
    ] as const) {
      await page.getByRole("button", { name: "Share", exact: true }).click();
      const download = page.waitForEvent("download");
      await page.getByRole("button", { name: choice }).click();
      const file = await download;
      expect(file.suggestedFilename()).toBe(name);
      const bytes = await readFile(await file.path());
      // Width and height are in the PNG header.
      expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([2_400, 1_260]);
    }
  });

  for (const look of [
    { name: "in light", media: { colorScheme: "light", reducedMotion: "no-preference" } },
    { name: "in dark without motion", media: { colorScheme: "dark", reducedMotion: "reduce" } },
  ] as const) {
    deskTest(`is accessible ${look.name}, and fits every width down to 320 px`, async ({ page }) => {
      await page.emulateMedia(look.media);
      for (const path of ["", "/trades", "/breakdown", "/charges", "/tax"]) {
        await page.setViewportSize({ width: 1280, height: 720 });
        await page.goto(`/analytics${path}`);
        await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
        await expect(page.getByText(/[+\u2212]\u2060₹/).first()).toBeVisible();
        await expect(page.getByText(/^Loading/)).toHaveCount(0);
        await expectAccessible(page);
        for (const width of [1280, 768, 320]) {
          await page.setViewportSize({ width, height: 720 });
          await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
        }
        expect(await partedSigns(page)).toEqual([]);
        await expectAccessible(page);
      }
    });
  }

  deskTest("the printed page has all figures and no bars or buttons", async ({ page }) => {
    await page.emulateMedia({ media: "print" });
    await expect(page.getByRole("search", { name: "Filter the figures" })).toBeHidden();
    await expect(page.getByRole("button", { name: "Show as table" }).first()).toBeHidden();
    await expect(figures(page)).toBeVisible();
  });

  deskTest("on a phone the filters are behind one button", async ({ page }) => {
    await page.setViewportSize({ width: 360, height: 740 });
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Filter the figures" });
    await dialog.getByLabel("Segment").selectOption({ label: "Intraday" });
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Done" }).click();
    await expect(page.getByRole("button", { name: "Filter, 1" })).toBeVisible();
    await counted(page, "Intraday. 24 positions");
  });
});

deskTest(
  "without trades the page offers an import; with only open positions it says so",
  async ({ page, account }) => {
    await page.goto("/analytics");
    await expect(page.getByRole("heading", { level: 1, name: "No analytics yet" })).toBeVisible();
    await expect(page.getByRole("region", { name: "Sample" })).toContainText("These are not your figures.");
    await expect(page.getByRole("link", { name: "Add Trades" }).last()).toHaveAttribute(
      "href",
      "/dashboard?panel=0",
    );
    await expectAccessible(page);

    await fill(account, DELIVERY.slice(0, 1));
    await page.reload();
    await expect(page.getByRole("heading", { name: "No position is closed yet" })).toBeVisible();
    await page.getByRole("link", { name: "Show open positions" }).click();
    await expect(page.getByText("1 of 1 position")).toBeVisible();
    const list = page.getByRole("region", { name: "List of positions" });
    await expect(list.getByRole("row").filter({ hasText: "TCS" })).toContainText("5 open");
    await expectAccessible(page);
  },
);

deskTest("if the analytics cannot be loaded, Retry loads them", async ({ page, account, expectedErrors }) => {
  expectedErrors.push(/status of 503/);
  await fill(account);
  const body = JSON.stringify({
    ...{ type: "about:blank", title: "Busy", status: 503, instance: "1", code: "busy" },
    detail: "The server is busy. Try again in a moment.",
  });
  await page.route("**/api/v1/analytics/overview*", (route) =>
    route.fulfill({ status: 503, contentType: "application/problem+json", body }),
  );
  await page.goto("/analytics");
  await expect(page.getByRole("alert")).toContainText("The server is busy.");
  await expectAccessible(page);
  await page.unroute("**/api/v1/analytics/overview*");
  await page.getByRole("button", { name: "Retry" }).click();
  await counted(page, "25 positions");
});
