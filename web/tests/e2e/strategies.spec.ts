import type { Page } from "@playwright/test";
import { type Account, bearer, importFile } from "./accounts.ts";
import { type Fill, writeTradebook } from "./analytics-book.ts";
import { deskTest, expect, expectAccessible, expectAccessibleEverywhere, test } from "./test-fixtures.ts";

type Option = readonly [side: Fill["side"], strike: string, price: number];

/** Monthly expiries. That of November is a Monday, because Tuesday is a holiday. */
const NOVEMBER = { month: "NOV", expiry: "2026-11-23" } as const;
const DECEMBER = { month: "DEC", expiry: "2026-12-29" } as const;

/** Returns fills of NIFTY options in November, a minute apart. */
function options(
  quantity: number,
  day: string,
  start: string,
  legs: readonly Option[],
  { month, expiry }: typeof NOVEMBER | typeof DECEMBER = NOVEMBER,
): Fill[] {
  const [hour, minute] = start.split(":");
  return legs.map(([side, strike, price], index) => ({
    symbol: `NIFTY26${month}${strike}`,
    side,
    quantity,
    price,
    at: `2026-11-${day}T${hour}:${String(Number(minute) + index).padStart(2, "0")}:00`,
    expiry,
  }));
}

/**
 * Iron condor, 130 of each leg.
 * Credit: (68.40 − 31.20 + 71.60 − 44.10) × 130 = 8,411.
 * Calls moved down by 150: (5.10 − 14.20 + 43.60 − 15.70) × 130 = 2,444, so that the credit is 10,855.
 * Closed for (19.85 − 5.35 + 8.90 − 4.25) × 130 = 2,489.50. Gross: 10,855 − 2,489.50 = 8,365.50, or 77.1% of the credit.
 */
const CONDOR: readonly Fill[] = [
  options(130, "12", "10:32", [
    ["sell", "26200CE", 68.4],
    ["buy", "26400CE", 31.2],
    ["sell", "25500PE", 71.6],
    ["buy", "25300PE", 44.1],
  ]),
  options(130, "18", "10:05", [
    ["buy", "26200CE", 14.2],
    ["sell", "26400CE", 5.1],
    ["sell", "26050CE", 43.6],
    ["buy", "26250CE", 15.7],
  ]),
  options(130, "20", "14:50", [
    ["buy", "26050CE", 19.85],
    ["sell", "26250CE", 5.35],
    ["buy", "25500PE", 8.9],
    ["sell", "25300PE", 4.25],
  ]),
].flat();

/** Short strangle of 65. Credit: 75 × 65 = 4,875. Gross: (10 + 15) × 65 = 1,625. */
const STRANGLE: readonly Fill[] = [
  options(65, "02", "10:00", [
    ["sell", "26600CE", 40],
    ["sell", "25000PE", 35],
  ]),
  options(65, "04", "11:00", [
    ["buy", "26600CE", 30],
    ["buy", "25000PE", 20],
  ]),
].flat();

/** A long call that lost 20 × 65 = 1,300, and a long put whose settlement is missing. */
const SINGLE: readonly Fill[] = [
  options(65, "05", "10:00", [["buy", "25900CE", 100]]),
  options(65, "05", "13:00", [["sell", "25900CE", 80]]),
  options(65, "20", "15:10", [["buy", "25700PE", 90]]),
].flat();

async function importStrategies(account: Account): Promise<void> {
  const fills = [...CONDOR, ...STRANGLE, ...SINGLE];
  await importFile(account, await writeTradebook(`${account.email}-fno`, fills), "zerodha", "fno");
}

const list = (page: Page) => page.getByRole("region", { name: "List of strategies" });
const legs = (page: Page) => page.getByRole("region", { name: "Legs", exact: true });

deskTest(
  "the trades lead to the iron condors in three steps, and to one of them",
  async ({ page, account }) => {
    await importStrategies(account);
    await page.goto("/analytics/trades");
    await page.getByRole("navigation", { name: "Lists of trades" }).getByText("Strategies").click();
    await expect(page.getByRole("heading", { level: 1, name: "Strategies" })).toBeFocused();
    await expect(page.getByText("4 of 4 strategies")).toBeVisible();
    const navigation = page.getByRole("navigation", { name: "Dashboard" });
    await expect(navigation.getByRole("link", { name: "Trades", exact: true })).toHaveAttribute(
      "aria-current",
      "page",
    );
    await expect(page.getByRole("heading", { name: /^3 closed strategies made ₹/ })).toBeVisible();
    await expectAccessibleEverywhere(page, "strategies");

    const figures = page.getByRole("region", { name: "Figures by shape" });
    await expect(figures.getByRole("row", { name: /Short strangle/ })).toContainText("33.3%");
    await figures.getByRole("link", { name: "Iron condor" }).click();
    await expect(page).toHaveURL("/analytics/strategies?shape=ironCondor");
    await expect(page.getByText("1 of 1 strategy")).toBeVisible();
    await list(page).getByRole("link", { name: "NIFTY iron condor 23 Nov 2026" }).click();
    await expect(
      page.getByRole("heading", { level: 1, name: "NIFTY iron condor 23 Nov 2026" }),
    ).toBeFocused();
    await page.getByRole("link", { name: "Iron condor", exact: true }).click();
    await expect(page.getByText("1 of 1 strategy")).toBeVisible();
  },
);

deskTest("statistics are grouped by a choice, and the list is filtered", async ({ page, account }) => {
  await importStrategies(account);
  await page.goto("/analytics/strategies?groups=risk");
  const byRisk = page.getByRole("region", { name: "Figures by risk" });
  // The condor and the long call; the strangle has no limit.
  await expect(byRisk.getByRole("row", { name: /^Defined risk/ })).toContainText("1 of 2");
  await expect(byRisk.getByRole("row", { name: /^Undefined risk/ })).toContainText("1 of 1");
  await page.getByText("Days to expiry at entry").click();
  await expect(page).toHaveURL(/groups=daysToExpiryAtEntry/);
  const byDays = page.getByRole("region", { name: "Figures by days to expiry at entry" });
  // 12, 5 and 2 November to the 23rd, in the order of the numbers.
  await expect(byDays.getByRole("rowheader")).toHaveText(["11 days", "18 days", "21 days"]);

  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Strategies as Excel" }).click();
  expect((await download).suggestedFilename()).toMatch(/^tradebahi-strategies-20\d\d-\d\d-\d\d\.xlsx$/);

  await page.getByRole("combobox", { name: "State" }).selectOption("Awaiting settlement");
  await expect(list(page).getByRole("link")).toHaveText(["NIFTY long put 23 Nov 2026"]);
  await page.getByRole("combobox", { name: "Underlying" }).selectOption("NIFTY");
  await page.getByRole("combobox", { name: "Shape" }).selectOption("Collar");
  await expect(page.getByText("No strategies match these filters.")).toBeVisible();
  await page.getByRole("button", { name: "Show all strategies" }).click();
  await expect(page.getByText("4 of 4 strategies")).toBeVisible();
  await expect(page).toHaveURL("/analytics/strategies?groups=daysToExpiryAtEntry");
});

deskTest("the figures count strategies, and the best result leads to its page", async ({ page, account }) => {
  await importStrategies(account);
  await page.goto("/analytics?unit=strategies");
  await expect(page.getByRole("combobox", { name: "Count" }).locator("option:checked")).toHaveText(
    "Strategies",
  );
  await expect(
    page.getByRole("status").filter({ hasText: /^3 strategies and positions, 4 to 20 Nov 2026\./ }),
  ).toBeVisible();
  const figures = page.getByRole("region", { name: "Figures", exact: true });
  // The condor and the strangle won, the long call lost; the put is not closed.
  await expect(figures).toContainText("2 of 3 strategies");
  await expect(figures).toContainText("average per strategy");
  await expect(figures).toContainText("Positions outside of strategies count one each.");
  await expect(figures.getByRole("link", { name: /^NIFTY strategy −/ })).toBeVisible();
  await expectAccessibleEverywhere(page, "count-strategies");

  await figures.getByRole("link", { name: "2 won" }).click();
  await expect(page).toHaveURL("/analytics/trades?unit=strategies&result=win");
  await expect(page.getByText(/^The figures count strategies; this list shows positions/)).toBeVisible();
  await page.goBack();
  await figures.getByRole("link", { name: /^NIFTY strategy \+/ }).click();
  await expect(page).toHaveURL(/\/analytics\/strategies\/[0-9a-f]{20}\?unit=strategies$/);
  await expect(page.getByRole("heading", { level: 1, name: "NIFTY iron condor 23 Nov 2026" })).toBeFocused();
});

deskTest("the page of a strategy has its figures, steps, legs and payoff", async ({ page, account }) => {
  await importStrategies(account);
  await page.goto("/analytics/strategies?shape=ironCondor");
  await list(page).getByRole("link").click();
  await expect(page.getByText("Zerodha · 130 of each leg · 12 to 20 Nov 2026, 8 days")).toBeVisible();
  const figures = page.getByRole("region", { name: "Figures", exact: true });
  await expect(figures).toContainText("₹8,365.50 gross");
  await expect(figures).toContainText("77.1%");
  await expect(figures).toContainText("₹8,366 of ₹10,855");
  // 25,500 − 10,855 ÷ 130 = 25,416.50 and 26,050 + 83.50 = 26,133.50 before charges of about 2 points.
  await expect(figures).toContainText("25,419 · 26,131");
  await expect(figures).toContainText("11 in, 3 out");

  const steps = page.getByRole("table", { name: "Steps with their cash" });
  await expect(steps.getByRole("row", { name: /Opened.*4 legs, credit ₹8,411/ })).toContainText("₹8,411.00");
  await expect(steps.getByRole("row", { name: /Calls moved down 150/ })).toContainText("₹2,444.00");
  await expect(steps.getByRole("row", { name: /Closed/ })).toContainText("₹2,489.50");
  await expect(steps.getByRole("row", { name: /^Gross/ })).toContainText("₹8,365.50");

  await expect(legs(page).getByRole("link")).toHaveCount(6);
  await expect(legs(page).getByRole("row", { name: /26,200 CE/ })).toContainText("₹68.40");
  await expectAccessibleEverywhere(page, "strategy");
  await legs(page).getByRole("link", { name: "NIFTY 23 Nov 2026 26,200 CE" }).click();
  await expect(page).toHaveURL(/\/analytics\/positions\/[0-9a-f]{20}$/);
  await expect(page.getByRole("heading", { level: 1, name: "NIFTY 23 Nov 2026 26,200 CE" })).toBeFocused();
});

deskTest("a phone opens the steps, the journal and the statistics by keyboard", async ({ page, account }) => {
  await importStrategies(account);
  await page.setViewportSize({ width: 320, height: 844 });
  await page.goto("/analytics/strategies?shape=ironCondor");
  await expect(page.getByText("1 of 1 strategy")).toBeVisible();
  await expect(page.getByRole("heading", { name: /^1 closed iron condor made ₹/ })).toBeVisible();
  const figures = page.getByRole("region", { name: "Figures by shape" });
  await expect(figures).toBeHidden();
  await page.locator("summary", { hasText: "Figures by shape" }).focus();
  await page.keyboard.press("Enter");
  await expect(figures.getByRole("row", { name: /^Iron condor/ })).toBeVisible();

  await list(page).getByRole("link").click();
  await expect(legs(page).getByRole("link")).toHaveCount(6);
  await expect(page.getByRole("slider", { name: "Profit by price at expiry" })).toBeVisible();
  const journal = page.locator("summary", { hasText: "Journal" });
  await expect(journal).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Note", exact: true })).toBeHidden();
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  expect(height).toBeLessThan(2500);

  await page.locator("summary", { hasText: "Steps with their cash" }).focus();
  await page.keyboard.press("Enter");
  const steps = page.getByRole("table", { name: "Steps with their cash" });
  await expect(steps.getByRole("row", { name: /Calls moved down 150/ })).toBeVisible();
  await journal.focus();
  await page.keyboard.press("Enter");
  const note = page.getByRole("textbox", { name: "Note", exact: true });
  await note.fill("Moved the calls too late.");
  await expectAccessible(page);

  // The phone is turned: everything stays open and typed.
  await page.setViewportSize({ width: 844, height: 390 });
  await expect(journal).toBeHidden();
  await expect(note).toHaveValue("Moved the calls too late.");
  await page.setViewportSize({ width: 320, height: 844 });
  await expect(note).toHaveValue("Moved the calls too late.");
});

deskTest("the payoff is read by arrow keys, and shown as a table", async ({ page, account }) => {
  await importStrategies(account);
  await page.goto("/analytics/strategies?shape=ironCondor");
  await list(page).getByRole("link").click();
  await expect(
    page.getByRole("heading", { name: /^It closed at 7\d% of what expiry could pay$/ }),
  ).toBeVisible();
  const slider = page.getByRole("slider", { name: "Profit by price at expiry" });
  await slider.focus();
  await page.keyboard.press("Home");
  await expect(slider).toHaveAttribute(
    "aria-valuetext",
    /^NIFTY at [\d,]+: −.?₹1\d,\d{3}, as first opened −/,
  );
  const lowest = await slider.getAttribute("aria-valuetext");
  await page.keyboard.press("ArrowRight");
  await expect(slider).not.toHaveAttribute("aria-valuetext", lowest ?? "");

  await page.getByRole("button", { name: "Show as table" }).click();
  const table = page.getByRole("region", { name: "Payoff at expiry" });
  await expect(table.getByRole("rowheader", { name: "26,050", exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Show as table" }).click();
  await expect(slider).toBeVisible();
});

/**
 * Short put of 65, rolled to December: gross (60 − 45) × 65 = 975 and (80 − 50) × 65 = 1,950. On another day, a bought
 * call that may belong to either of two sold ones.
 */
const ROLLED_AND_AMBIGUOUS: readonly Fill[] = [
  options(65, "03", "10:00", [["sell", "25200PE", 60]]),
  options(65, "13", "10:00", [["buy", "25200PE", 45]]),
  options(65, "13", "10:01", [["sell", "25000PE", 80]], DECEMBER),
  options(65, "17", "11:00", [["buy", "25000PE", 50]], DECEMBER),
  options(
    65,
    "19",
    "10:00",
    [
      ["buy", "27000CE", 100],
      ["sell", "27200CE", 100],
      ["sell", "27500CE", 100],
    ],
    DECEMBER,
  ),
].flat();

deskTest("rolls are shown as a chain, and uncertain groupings are marked", async ({ page, account }) => {
  const path = await writeTradebook(`${account.email}-rolled`, ROLLED_AND_AMBIGUOUS);
  await importFile(account, path, "zerodha", "fno");
  await page.goto("/analytics/strategies");
  await expect(page.getByText("4 strategies, 1 with a grouping to check")).toBeVisible();
  const spread = list(page).getByRole("row", { name: /bull call spread/ });
  await expect(spread).toContainText("Check the grouping");
  await spread.getByRole("link").click();
  await expect(
    page.getByRole("heading", { name: "These legs can be grouped in several ways" }),
  ).toBeVisible();

  await page.goto("/analytics/strategies?shape=shortPut");
  await list(page).getByRole("link", { name: "NIFTY short put 23 Nov 2026" }).click();
  await expect(
    page.getByRole("heading", { name: /^Rolled once, \+.?₹2,[78]\d\d as one chain$/ }),
  ).toBeVisible();
  const chain = page.getByRole("region", { name: "Chain of rolls" });
  await expect(chain.getByRole("rowheader")).toHaveText([
    "Short put 23 Nov 2026 (this one)",
    "Short put 29 Dec 2026",
  ]);
  await chain.getByRole("link", { name: "Short put 29 Dec 2026" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "NIFTY short put 29 Dec 2026" })).toBeFocused();
});

deskTest("a strategy has a journal, and the search and the day link to it", async ({ page, account }) => {
  await importStrategies(account);
  await page.goto("/analytics/strategies?shape=shortStrangle");
  await list(page).getByRole("link").click();
  await expect(page.getByRole("heading", { level: 2, name: "Journal" })).toBeVisible();
  await page.getByLabel("Risk in ₹").fill("2000");
  // The result is 1,625 before charges.
  await expect(page.getByText(/^0\.\d+R after charges$/)).toBeVisible();
  await page.getByRole("textbox", { name: "Note", exact: true }).fill("Sold into a **spike** of volatility.");
  await page.getByRole("checkbox", { name: "This strategy is reviewed" }).check();
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  const address = page.url();
  await page.reload();
  await expect(page.locator("strong", { hasText: "spike" })).toBeVisible();
  await expect(page.getByLabel("Risk in ₹")).toHaveValue("2000");
  await expect(page.getByRole("checkbox", { name: "This strategy is reviewed" })).toBeChecked();
  await expectAccessibleEverywhere(page, "strategy-journal");

  await page.goto("/journal?q=volatility");
  await page.getByRole("link", { name: "NIFTY strategy, 2 Nov 2026" }).click();
  await expect(page).toHaveURL(address);
  await expect(page.locator("strong", { hasText: "spike" })).toBeVisible();
  await page.goto("/journal/2026-11-02");
  const strategies = page.getByRole("region", { name: "Strategies", exact: true });
  await expect(strategies.getByRole("link", { name: "NIFTY strategy, 2 Nov 2026" })).toBeVisible();
  await expectAccessibleEverywhere(page, "day-strategies");
});

deskTest("without options the page says what a strategy is", async ({ page }) => {
  await page.goto("/analytics/strategies");
  await expect(page.getByText(/^A strategy is a group of option positions/)).toBeVisible();
  await expect(page.getByRole("main").getByRole("link", { name: "Add Trades" })).toHaveAttribute(
    "href",
    "/dashboard?panel=0",
  );
});

test("a reader with a read-only token sees the strategies", async ({ page, account }) => {
  await importStrategies(account);
  const response = await account.request.post("/api/v1/auth/handoff", { headers: bearer(account.token) });
  const { url }: { url: string } = await response.json();
  const token = new URL(url).searchParams.get("token");
  await page.goto(`/analytics/strategies?token=${token}`);
  await expect(page.getByText("4 of 4 strategies")).toBeVisible();
  await expect(page.getByRole("button", { name: "Add a strategy" })).toBeHidden();
  await list(page)
    .getByRole("link", { name: /iron condor/ })
    .click();
  await expect(legs(page).getByRole("link")).toHaveCount(6);
  await expect(page.getByRole("button", { name: "Rename" })).toBeHidden();
  await expect(page.getByText(/read-only until \d/)).toBeVisible();
});
