import type { Page } from "@playwright/test";
import { type Account, importFile } from "./accounts.ts";
import { type Fill, writeTradebook } from "./analytics-book.ts";
import { tabTo } from "./tab-to.ts";
import { deskTest, expect, expectAccessibleEverywhere } from "./test-fixtures.ts";

/** Returns a fill of a NIFTY option of December on 19 November 2026. */
function option(side: Fill["side"], strike: string, quantity: number, time: string): Fill {
  const [symbol, at] = [`NIFTY26DEC${strike}`, `2026-11-19T${time}:00`];
  return { symbol, side, quantity, price: 100, at, expiry: "2026-12-29" };
}

/** A bought call that may belong to either of two sold ones. */
const AMBIGUOUS: readonly Fill[] = [
  option("buy", "24000CE", 65, "10:00"),
  option("sell", "24200CE", 65, "10:01"),
  option("sell", "24500CE", 65, "10:02"),
];

const STRANGLE: readonly Fill[] = [
  option("sell", "25000CE", 130, "11:00"),
  option("sell", "23000PE", 130, "11:01"),
];

async function importFills(account: Account, fills: readonly Fill[]): Promise<void> {
  const path = await writeTradebook(`${account.email}-decisions`, fills);
  await importFile(account, path, "zerodha", "fno");
}

/** Opens the page of the short strangle. */
async function openStrangle(page: Page, account: Account): Promise<void> {
  await importFills(account, STRANGLE);
  await page.goto("/analytics/strategies");
  await list(page).getByRole("link", { name: "NIFTY short strangle 29 Dec 2026" }).click();
  await expect(title(page)).toHaveText("NIFTY short strangle 29 Dec 2026");
}

const list = (page: Page) => page.getByRole("region", { name: "List of strategies" });
const title = (page: Page) => page.getByRole("heading", { level: 1 });
const groupings = (page: Page) => page.getByRole("list", { name: "Possible groupings" });
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

deskTest("ambiguous groupings are checked with the keyboard only", async ({ page, account }) => {
  deskTest.slow();
  await importFills(account, AMBIGUOUS);
  await page.goto("/analytics/strategies");
  await expect(page.getByText("2 strategies, 1 with a grouping to check")).toBeVisible();
  await expect(page.getByText("2 of 2 strategies")).toBeVisible();
  await tabTo(page, "Check 1 grouping", "link");
  await page.keyboard.press("Enter");
  await expect(title(page)).toHaveText("Check groupings");
  await expect(title(page)).toBeFocused();
  await expect(page.getByText("1 of 1", { exact: true })).toBeVisible();
  await expect(groupings(page).getByText(/, as grouped now/)).toHaveCount(1);
  await expect(groupings(page).getByText("65 NIFTY 29 Dec 2026 24,200 CE")).toBeVisible();
  await expect(groupings(page).getByText("65 NIFTY 29 Dec 2026 24,500 CE")).toBeVisible();
  await expectAccessibleEverywhere(page, "grouping-review");

  await page.keyboard.press("2");
  await expect(page.getByRole("heading", { name: "All groupings are checked" })).toBeFocused();
  await expect(page.getByText("Grouped as bull call spread.")).toBeVisible();
  await page.keyboard.press("u");
  await expect(
    page.getByRole("heading", { level: 2, name: "NIFTY bull call spread 29 Dec 2026" }),
  ).toBeFocused();
  await expect(page.getByText("Undone. Choose again.")).toBeVisible();
  await page.keyboard.press("1");
  await expect(page.getByRole("heading", { name: "All groupings are checked" })).toBeFocused();
  await expect(page.getByText("Bull call spread confirmed.")).toBeVisible();

  await page.goBack();
  await expect(title(page)).toHaveText("Strategies");
  await expect(title(page)).toBeFocused();
  await expect(list(page).getByRole("row", { name: /bull call spread/ })).toContainText("Confirmed");
  await expect(page.getByRole("link", { name: "Check 1 grouping" })).toBeHidden();
});

deskTest("a grouping is chosen on the page of the strategy, and undone", async ({ page, account }) => {
  await importFills(account, AMBIGUOUS);
  await page.goto("/analytics/strategies?shape=bullCallSpread");
  await list(page).getByRole("link").click();
  const panel = page.getByRole("heading", { name: "These legs can be grouped in several ways" });
  await expect(panel).toBeVisible();
  await expectAccessibleEverywhere(page, "strategy-groupings");
  await press(page, "Choose grouping 2, bull call spread");
  await expect(page.getByText("Grouped as bull call spread")).toBeVisible();
  await expect(title(page)).toBeFocused();
  await expect(panel).toBeHidden();
  const legs = page.getByRole("region", { name: "Legs", exact: true });
  await expect(legs.getByRole("link")).toHaveText([
    "NIFTY 29 Dec 2026 24,000 CE",
    "NIFTY 29 Dec 2026 24,500 CE",
  ]);
  await press(page, "Undo");
  await expect(page.getByText("Undone. The legs are grouped as before.")).toBeVisible();
  await expect(panel).toBeVisible();
});

deskTest("a strategy is split and joined, and both are undone", async ({ page, account }) => {
  deskTest.slow();
  await openStrangle(page, account);
  const address = page.url();
  await press(page, "Split");
  const split = page.getByRole("dialog", { name: "Split strategy" });
  await split.getByRole("button", { name: "Split" }).click();
  await expect(split.getByRole("alert")).toHaveText("Enter a quantity to move of at least one leg.");
  const call = split.getByRole("group", { name: "130 NIFTY 29 Dec 2026 25,000 CE" });
  await call.getByLabel("Quantity to move").fill("131");
  await expect(split.getByText("Enter a whole number from 0 to 130.")).toBeVisible();
  await call.getByLabel("Quantity to move").fill("65");
  await expect(split.getByText("Short 65 NIFTY 29 Dec 2026 25,000 CE")).toHaveCount(2);
  await call.getByLabel("Whole leg").check();
  await expectAccessibleEverywhere(page, "strategy-split");
  await split.getByRole("button", { name: "Split" }).click();

  await expect(title(page)).toHaveText("NIFTY short put 29 Dec 2026");
  await expect(title(page)).toBeFocused();
  // What stays keeps its address, and with it the journal.
  await expect(page).toHaveURL(address);
  await expect(page.getByText("Split into two strategies")).toBeVisible();
  await expect(page.getByRole("link", { name: "Open NIFTY short call 29 Dec 2026" })).toBeVisible();
  await press(page, "Undo");
  await expect(title(page)).toHaveText("NIFTY short strangle 29 Dec 2026");
  await expect(page).toHaveURL(address);

  await press(page, "Split");
  await call.getByLabel("Whole leg").check();
  await split.getByRole("button", { name: "Split" }).click();
  await expect(title(page)).toHaveText("NIFTY short put 29 Dec 2026");
  await press(page, "Join with another strategy");
  const join = page.getByRole("dialog", { name: "Join with another strategy" });
  await join.getByRole("button", { name: "Join" }).click();
  await expect(join.getByRole("alert")).toHaveText("Select at least one strategy.");
  await join.getByRole("checkbox", { name: /^NIFTY short call/ }).check();
  await expectAccessibleEverywhere(page, "strategy-join");
  await join.getByRole("button", { name: "Join" }).click();
  await expect(title(page)).toHaveText("NIFTY short strangle 29 Dec 2026");
  await expect(page.getByText("Joined with 1 strategy")).toBeVisible();
  await press(page, "Undo");
  await expect(title(page)).toHaveText("NIFTY short put 29 Dec 2026");
  await expect(title(page)).toBeFocused();
});

deskTest("a strategy is renamed, and grouped automatically again", async ({ page, account }) => {
  await openStrangle(page, account);
  await press(page, "Rename");
  const rename = page.getByRole("dialog", { name: "Rename strategy" });
  await expect(rename.getByText(/^Saving also confirms the grouping/)).toBeVisible();
  await expect(rename.getByLabel("Name")).toBeFocused();
  await rename.getByLabel("Name").fill("Budget day strangle");
  await expectAccessibleEverywhere(page, "strategy-rename");
  await page.keyboard.press("Enter");
  await expect(title(page)).toHaveText("Budget day strangle");
  await expect(title(page)).toBeFocused();
  await expect(page.getByText(/^NIFTY short strangle 29 Dec 2026 · Zerodha · .* · Confirmed$/)).toBeVisible();
  await expect(page.getByRole("button", { name: "Confirm grouping" })).toBeHidden();
  await expectAccessibleEverywhere(page, "strategy-renamed");

  await press(page, "Group automatically again");
  await expect(title(page)).toHaveText("NIFTY short strangle 29 Dec 2026");
  await press(page, "Undo");
  await expect(title(page)).toHaveText("Budget day strangle");
  await page.getByRole("link", { name: "Strategies", exact: true }).click();
  await expect(list(page).getByRole("row", { name: /^Budget day strangle/ })).toContainText(
    "NIFTY short strangle 29 Dec 2026 · Confirmed",
  );
});

deskTest(
  "the minutes between legs are changed, and the last decision is undone after a reload",
  async ({ page, account }) => {
    await importFills(account, [
      option("sell", "25000CE", 65, "11:00"),
      option("sell", "23000PE", 65, "11:08"),
    ]);
    await page.goto("/analytics/strategies");
    await expect(page.getByText("Legs that were opened within 5 minutes of each other")).toBeVisible();
    await expect(list(page).getByRole("link")).toHaveText([/short put/, /short call/]);
    await press(page, "Change grouping");
    const minutes = page.getByRole("textbox", { name: "Minutes between the legs" });
    await expect(minutes).toBeFocused();
    await expectAccessibleEverywhere(page, "grouping-dialog");
    for (const wrong of ["0", "61", "x", ""]) {
      await minutes.fill(wrong);
      await press(page, "Save");
      await expect(page.getByText("Enter a whole number from 1 to 60.")).toBeVisible();
    }
    await minutes.fill("10");
    await page.keyboard.press("Enter");
    await expect(page.getByText("Legs that were opened within 10 minutes of each other")).toBeVisible();
    await list(page).getByRole("link", { name: "NIFTY short strangle 29 Dec 2026" }).click();
    await press(page, "Confirm grouping");
    await expect(page.getByText("Short strangle confirmed")).toBeVisible();

    // The position of a leg leads to its strategy.
    const legs = page.getByRole("region", { name: "Legs", exact: true });
    await legs.getByRole("link", { name: "NIFTY 29 Dec 2026 25,000 CE" }).click();
    await page
      .getByRole("navigation", { name: "Strategies with this position" })
      .getByRole("link", { name: "NIFTY short strangle 29 Dec 2026" })
      .click();
    await expect(title(page)).toHaveText("NIFTY short strangle 29 Dec 2026");

    await page.goto("/analytics/strategies");
    await press(page, "Undo last decision");
    await expect(page.getByText("Your last decision about a strategy was undone.")).toBeVisible();
    await expect(page.getByRole("button", { name: "Undo last decision" })).toBeHidden();
    await expect(page.getByRole("button", { name: "Change grouping" })).toBeFocused();
  },
);
