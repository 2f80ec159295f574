import type { Page } from "@playwright/test";
import { getClient } from "./accounts.ts";
import { expect, expectAccessibleEverywhere, deskTest as test } from "./test-fixtures.ts";

type LegPrices = readonly [strike: string, entry: string, exit: string];

/**
 * Iron condor of NIFTY in November, 130 of each leg. The expiry of November is a Monday, because Tuesday is a holiday.
 * Credit: (71.60 − 44.10 + 68.40 − 31.20) × 130 = 8,411.
 * Closed for (8.90 − 4.25 + 19.85 − 5.35) × 130 = 2,489.50. Gross: 8,411 − 2,489.50 = 5,921.50.
 */
const CONDOR: readonly LegPrices[] = [
  ["25300", "44.10", "4.25"],
  ["25500", "71.60", "8.90"],
  ["26200", "68.40", "19.85"],
  ["26400", "31.20", "5.35"],
];

const dialog = (page: Page) => page.getByRole("dialog", { name: "Add a strategy" });
const field = (page: Page, label: string) => dialog(page).getByLabel(label, { exact: true });
const button = (page: Page, name: string) => dialog(page).getByRole("button", { name });
const legField = (page: Page, leg: number, name: string) => field(page, `Leg ${leg}, ${name}`);
const addedStatus = (page: Page) =>
  dialog(page).getByRole("status").filter({ hasText: "8 trades added to Zerodha, Future & Option." });

async function openForm(page: Page) {
  await page.goto("/add-new-trades");
  await page.getByLabel("Broker", { exact: true }).selectOption("zerodha");
  await expect(page.getByRole("button", { name: "Add a strategy" })).toBeHidden();
  await page.getByLabel("Trade type").selectOption("fno");
  await page.getByRole("button", { name: "Add a strategy" }).click();
  await expect(field(page, "Strategy")).toBeFocused();
}

/** Types the iron condor, which is the first template. */
async function typeCondor(page: Page) {
  await expect(field(page, "Strategy")).toHaveValue("ironCondor");
  await field(page, "Underlying").fill("nifty");
  await field(page, "Expiry").fill("2026-11-23");
  await field(page, "Quantity per leg").fill("130");
  await field(page, "Opened at").fill("2026-11-12T10:32");
  await field(page, "Closed at (optional)").fill("2026-11-20T14:50");
  for (const [index, [strike, entry, exit]] of CONDOR.entries()) {
    await legField(page, index + 1, "strike").fill(strike);
    await legField(page, index + 1, "entry price").fill(entry);
    await legField(page, index + 1, "exit price").fill(exit);
  }
}

test("an iron condor is typed in one form, and the analytics show it as one", async ({ page, account }) => {
  await openForm(page);
  // Enter saves from any field; the first invalid field gets the focus.
  await field(page, "Quantity per leg").press("Enter");
  await expect(field(page, "Underlying")).toBeFocused();
  await expect(dialog(page)).toContainText("Enter the underlying.");
  await expectAccessibleEverywhere(page, "strategy-entry");

  await typeCondor(page);
  await expect(dialog(page).getByLabel("Net credit or debit")).toHaveText("₹8,411");
  await expect(dialog(page).getByLabel("Profit or loss")).toHaveText("+\u2060₹5,921.50");
  await expect(dialog(page)).toContainText("8 trades: 4 entries, 4 exits");
  await legField(page, 3, "strike").fill("25400");
  await expect(dialog(page)).toContainText("Enter a strike above 25,500, that of leg 2.");
  await legField(page, 3, "strike").press("Enter");
  await expect(legField(page, 3, "strike")).toBeFocused();
  await legField(page, 3, "strike").fill("26200");
  await legField(page, 3, "strike").press("Enter");

  await expect(addedStatus(page)).toBeVisible();
  const { trades } = await getClient(account.request, account.token);
  expect(trades.map(({ symbol, type, quantity }) => `${type} ${quantity} ${symbol}`).toSorted()).toEqual([
    "buy 130 NIFTY26NOV25300PE",
    "buy 130 NIFTY26NOV25500PE",
    "buy 130 NIFTY26NOV26200CE",
    "buy 130 NIFTY26NOV26400CE",
    "sell 130 NIFTY26NOV25300PE",
    "sell 130 NIFTY26NOV25500PE",
    "sell 130 NIFTY26NOV26200CE",
    "sell 130 NIFTY26NOV26400CE",
  ]);
  expect(new Set(trades.map(({ pairId }) => pairId)).size).toBe(4);

  await expect(dialog(page).getByRole("link", { name: "See all strategies" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/analytics/strategies");
  await page.getByRole("link", { name: "NIFTY iron condor 23 Nov 2026" }).click();
  await expect(page.getByRole("region", { name: "Figures", exact: true })).toContainText("₹5,921.50 gross");
  const steps = page.getByRole("table", { name: "Steps with their cash" });
  await expect(steps.getByRole("row", { name: /Opened.*4 legs, credit ₹8,411/ })).toBeVisible();
});

test("after a lost response the form is kept, and Try again adds no trade twice", async ({
  page,
  account,
  expectedErrors,
}) => {
  expectedErrors.push(/ERR_FAILED/);
  await openForm(page);
  await typeCondor(page);
  let adds = 0;
  await page.route("**/trades/add", async (route) => {
    adds += 1;
    if (adds !== 2) return route.continue();
    // The server adds the trade, but the browser does not learn it.
    await route.fetch();
    return route.abort();
  });
  await button(page, "Save strategy").click();
  await expect(dialog(page).getByRole("alert")).toHaveText(
    /^1 trade is saved\. Leg 2, entry: The server did not respond, .* it is not added twice\.$/,
  );
  expect(adds).toBe(2);
  await expect(legField(page, 1, "strike")).toBeDisabled();
  await expect(legField(page, 1, "exit price")).toBeEnabled();
  await expect(legField(page, 2, "strike")).toBeDisabled();
  await expect(legField(page, 3, "strike")).toHaveValue("26200");
  await expect(legField(page, 3, "strike")).toBeEnabled();
  await expect(dialog(page).getByText("Entry saved")).toHaveCount(1);
  await expect(button(page, "Try again")).toBeFocused();
  await expectAccessibleEverywhere(page, "strategy-entry-failed");

  await page.keyboard.press("Enter");
  await expect(addedStatus(page)).toBeVisible();
  expect(adds).toBe(9);
  expect((await getClient(account.request, account.token)).trades).toHaveLength(8);

  // The form of the page adds to the book from now on, and the next strategy keeps what it shares.
  await button(page, "Add another strategy").click();
  await expect(field(page, "Underlying")).toHaveValue("nifty");
  await expect(field(page, "Expiry")).toHaveValue("2026-11-23");
  await expect(field(page, "Opened at")).toHaveValue("2026-11-12T10:32");
  await expect(legField(page, 1, "strike")).toHaveValue("");
  await button(page, "Cancel").click();
  await expect(dialog(page)).toBeHidden();
  await expect(page.getByRole("form", { name: "Trade" })).toContainText(
    "Save adds this entry to the 8 trades of Zerodha, Future & Option.",
  );
});

test("closing with typed values asks first, and a custom strategy starts from the legs of a template", async ({
  page,
}) => {
  await openForm(page);
  await field(page, "Strategy").selectOption("Short straddle");
  await legField(page, 1, "strike").fill("26000");
  await expect(legField(page, 2, "strike")).toHaveValue("26000");
  await field(page, "Strategy").selectOption("Custom");
  await button(page, "Add a leg").click();
  await expect(legField(page, 2, "strike")).toHaveValue("26000");
  await legField(page, 3, "option").selectOption("Put");
  await button(page, "Remove leg 1").click();
  await expect(dialog(page).getByRole("group", { name: "Leg 2: buy put" })).toBeVisible();
  await expectAccessibleEverywhere(page, "strategy-entry-custom");

  await page.keyboard.press("Escape");
  const question = page.getByRole("dialog", { name: "Discard this strategy?" });
  await expect(question.getByRole("button", { name: "Keep editing" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(question).toBeHidden();
  await expect(legField(page, 1, "strike")).toHaveValue("26000");
  await button(page, "Cancel").click();
  await question.getByRole("button", { name: "Discard" }).click();
  await expect(dialog(page)).toBeHidden();
  await expect(page.getByRole("button", { name: "Add a strategy" })).toBeFocused();
});

test("a strategy with an expired leg is added from the empty page of strategies, which then lists it", async ({
  page,
  account,
}) => {
  await page.goto("/analytics/strategies");
  await expect(page.getByRole("heading", { name: "No strategies yet" })).toBeVisible();
  await page.getByRole("button", { name: "Add a strategy" }).click();
  await expect(field(page, "Broker account")).toHaveValue("zerodha");
  await field(page, "Strategy").selectOption("Bull put spread");
  await field(page, "Underlying").fill("nifty");
  await field(page, "Opened at").fill("2026-11-12T10:32");

  // The last Tuesday of November is a holiday.
  await field(page, "Expiry").fill("2026-11-24");
  await expect(dialog(page)).toContainText(
    "No NIFTY contract expires on Tue 24 Nov 2026. Did you mean Mon 23 Nov?",
  );
  await expectAccessibleEverywhere(page, "strategy-entry-expiry");
  await button(page, "Change to Mon 23 Nov").click();
  await expect(field(page, "Expiry")).toHaveValue("2026-11-23");
  await expect(field(page, "Expiry")).toBeFocused();
  await expect(button(page, "Change to")).toBeHidden();

  await field(page, "Lots (optional)").fill("2");
  await field(page, "Lot size (optional)").fill("65");
  await expect(field(page, "Quantity per leg")).toHaveValue("130");
  await field(page, "Closed at (optional)").fill("2026-11-20T14:50");
  await legField(page, 1, "strike").fill("25300");
  await legField(page, 1, "entry price").fill("44.10");
  await legField(page, 2, "strike").fill("25500");
  await legField(page, 2, "entry price").fill("71.60");
  await button(page, "Save strategy").click();
  await expect(field(page, "Closed at (optional)")).toBeFocused();
  await expect(dialog(page)).toContainText("Enter at least one exit price, or clear the closing time.");
  await legField(page, 2, "exit price").fill("8.90");
  await expect(dialog(page)).toContainText("3 trades: 2 entries, 1 exit");
  await button(page, "Save strategy").click();
  await expect(dialog(page).getByRole("status").filter({ hasText: "3 trades added" })).toBeVisible();
  const { trades } = await getClient(account.request, account.token);
  expect(trades.map(({ symbol, type, quantity }) => `${type} ${quantity} ${symbol}`).toSorted()).toEqual([
    "buy 130 NIFTY26NOV25300PE",
    "buy 130 NIFTY26NOV25500PE",
    "sell 130 NIFTY26NOV25500PE",
  ]);

  await button(page, "Add another strategy").click();
  await expect(field(page, "Lot size (optional)")).toHaveValue("65");
  await field(page, "Underlying").fill("sensex");
  await expect(field(page, "Lot size (optional)")).toHaveValue("");
  await field(page, "Underlying").fill("nifty");
  await expect(field(page, "Lot size (optional)")).toHaveValue("65");
  await button(page, "Cancel").click();
  await page
    .getByRole("dialog", { name: "Discard this strategy?" })
    .getByRole("button", { name: "Discard" })
    .click();
  await expect(page.getByRole("link", { name: "NIFTY bull put spread 23 Nov 2026" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Add a strategy" })).toBeFocused();
});
