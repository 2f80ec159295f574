import type { Page } from "@playwright/test";
import { addTrade } from "./entries.ts";
import { expect, expectAccessible, deskTest as test } from "./test-fixtures.ts";
import { tableRows } from "./trade-table.ts";

const LOG = "/dashboard?panel=1";
const NOTE = "Waited for the retest of the level, then entered late anyway. #fomo #late-entry";

const field = (page: Page) => page.getByRole("searchbox", { name: "Symbol, note or #tag" });
const counted = (page: Page, text: string) =>
  expect(page.getByRole("status").filter({ hasText: text })).toBeVisible();

test.beforeEach(async ({ account, page }) => {
  const trade = { type: "buy", price: 430.05, quantity: 1 } as const;
  const trades = [
    { symbol: "ITC", notes: NOTE },
    { symbol: "LT", notes: "Gap up. #fomo-2", psychology: "Calm" },
    { symbol: "FOMOCORP" },
    { symbol: "TCS" },
  ];
  for (const [minute, texts] of trades.entries())
    await addTrade(account, { ...trade, ...texts, timestamp: `2026-02-02T10:1${minute}:00+05:30` });
  await page.goto(LOG);
  await counted(page, "4 trades, newest first");
});

test("the log is searched by symbol, words of the notes and tags; the row shows the note", async ({
  page,
}) => {
  await field(page).fill("fomo");
  await counted(page, "3 of 4 trades");
  await expect(tableRows(page).filter({ hasText: "FOMOCORP" })).toBeVisible();

  await field(page).fill("#fomo");
  await counted(page, "1 of 4 trades");
  await expect(tableRows(page)).toContainText("ITC, has notes… #fomo #late-entry");
  await expect(page).toHaveURL(`${LOG}&q=%23fomo`);
  await expectAccessible(page);

  await page.reload();
  await expect(field(page)).toHaveValue("#fomo");
  await counted(page, "1 of 4 trades");

  await field(page).fill("lt calm");
  await counted(page, "1 of 4 trades");
  await expect(tableRows(page)).toContainText("Calm");

  await field(page).fill("#late");
  await expect(page.getByRole("heading", { name: "No trades match these filters" })).toBeVisible();
  await expect(page.getByText("The search looks for #late in symbols and notes.")).toBeVisible();
  await expectAccessible(page);

  // A link from before the search of notes.
  await page.goto(`${LOG}&q=tcs`);
  await counted(page, "1 of 4 trades");
  await expect(tableRows(page)).toContainText("TCS");
});

test("on a phone the card shows the note that was found", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await field(page).fill("late");
  await counted(page, "1 of 4 trades");
  const card = page.getByRole("list", { name: "Trades" }).locator("li[aria-posinset='1']");
  await expect(card).toContainText("… late anyway. #fomo #late-entry");
  const [box, note] = [await card.boundingBox(), await card.getByText("late anyway").boundingBox()];
  if (!box || !note) throw new Error("The card is not visible.");
  expect(note.y + note.height).toBeLessThanOrEqual(box.y + box.height);
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  await expectAccessible(page);
});
