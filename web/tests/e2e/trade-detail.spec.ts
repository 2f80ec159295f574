import type { Page } from "@playwright/test";
import { getClient, importFile } from "./accounts.ts";
import { addEntry } from "./entries.ts";
import { expect, expectAccessible, deskTest as test } from "./test-fixtures.ts";
import { tableRows, tradeTable } from "./trade-table.ts";
import { expectedRow, ROWS, readTradesOf, tradebookPath } from "./tradebooks.ts";

const LOG = "/dashboard?panel=1";
const sheet = (page: Page) => page.getByRole("dialog").first();
const row = (page: Page, index: number) => tradeTable(page).locator(`tr[aria-rowindex="${index + 1}"]`);

test.describe("a trade from a broker's file", () => {
  test.beforeEach(async ({ account, page }) => {
    await importFile(account, tradebookPath("zerodha", ROWS.some), "zerodha");
    await page.goto(LOG);
    await expect(tradeTable(page)).toBeVisible();
  });

  test("[3U-04] [W4] each trade of the list has a broker and a trade type", async ({ page, account }) => {
    const { trades } = await getClient(account.request, account.token);
    expect(trades).toHaveLength(ROWS.some);
    for (const trade of trades) expect(trade).toMatchObject({ broker: "zerodha", tradetype: "equity" });
    await expect(row(page, 1).getByRole("cell", { name: "Zerodha", exact: true })).toBeVisible();
  });

  test("opens with all its data and its own URL; Back and Close return to the log", async ({ page }) => {
    const [newest] = await readTradesOf("zerodha", ROWS.some);
    if (!newest) throw new Error("The file is empty.");
    const [side = "", symbol = "", quantity = "", , , broker = ""] = expectedRow(newest, "zerodha");
    await row(page, 1).getByRole("cell").nth(3).click();
    await expect(sheet(page).getByRole("heading", { name: symbol })).toBeVisible();
    await expect(page).toHaveURL(/\?panel=1&trade=\d+$/);
    for (const words of [side, quantity, broker, "Equity", newest.exchange, "From Zerodha's file"]) {
      await expect(sheet(page).getByText(words, { exact: true }).first()).toBeVisible();
    }
    await expectAccessible(page);

    await page.goBack();
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(page).toHaveURL(LOG);
    await page.goForward();
    await sheet(page).getByRole("button", { name: "Close" }).click();
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(page).toHaveURL(LOG);
  });

  test("can be opened by a link and closed to the log", async ({ page, account, expectedErrors }) => {
    expectedErrors.push(/status of 404/);
    const { trades } = await getClient(account.request, account.token);
    const last = trades.at(-1);
    await page.goto(`${LOG}&q=${last?.symbol}&trade=${last?._id}`);
    await expect(sheet(page).getByRole("heading", { name: last?.symbol ?? "" })).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page).toHaveURL(`${LOG}&q=${encodeURIComponent(last?.symbol ?? "")}`);
    await page.goto(`${LOG}&trade=999999`);
    await expect(page.getByRole("alert")).toContainText("This trade is not in your log any more.");
  });

  test("can be opened, read and closed with the keyboard, with and without shortcuts", async ({ page }) => {
    const box = page.getByRole("region", { name: "Trades" });
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await expect(sheet(page).getByRole("button", { name: "Close" })).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(box).toBeFocused();
    await expect(row(page, 2)).toHaveAttribute("aria-current", "true");

    await page.keyboard.press("?");
    const list = page.getByRole("dialog", { name: "Shortcuts" });
    await expect(list).toContainText("Open the row");
    await list.getByRole("checkbox").uncheck();
    await page.keyboard.press("Escape");
    await expect(list).toBeHidden();
    await box.focus();
    await page.keyboard.press("j");
    await expect(row(page, 2)).toHaveAttribute("aria-current", "true");
    await page.keyboard.press("ArrowDown");
    await expect(row(page, 3)).toHaveAttribute("aria-current", "true");
    await page.keyboard.press("Enter");
    await expect(sheet(page).getByRole("button", { name: "Close" })).toBeFocused();
  });

  test("edits notes in place; leaving saves them, and the row shows a mark", async ({
    page,
    account,
    expectedErrors,
  }) => {
    expectedErrors.push(/status of 422/);
    const [newest] = (await getClient(account.request, account.token)).trades;
    if (newest?.type !== "buy") throw new Error("The newest trade is a purchase.");
    const limit = String(Math.floor(newest.price) - 1);
    await row(page, 1).click();
    await sheet(page).getByLabel("Notes").fill("Broke out with volume.");
    await sheet(page).getByRole("button", { name: "Save notes" }).click();
    await expect(sheet(page).getByText("Saved.")).toBeVisible();
    await sheet(page).getByLabel("Psychology").fill("Calm");
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(row(page, 1)).toContainText("has notes");

    await page.reload();
    await expect(row(page, 1)).toContainText("has notes");
    await row(page, 1).click();
    await expect(sheet(page).getByLabel("Notes")).toHaveValue("Broke out with volume.");
    await expect(sheet(page).getByLabel("Psychology")).toHaveValue("Calm");
    const stop = sheet(page).getByLabel("Stop loss");
    await stop.fill("soon");
    await sheet(page).getByRole("button", { name: "Save notes" }).click();
    await expect(sheet(page).getByRole("alert")).toContainText("Enter the stop loss as a number");
    await stop.fill(String(newest.price));
    await sheet(page).getByRole("button", { name: "Save notes" }).click();
    await expect(sheet(page).getByRole("alert")).toContainText("The stop loss must be below the price");
    await stop.fill(limit);
    await sheet(page).getByRole("button", { name: "Save notes" }).click();
    await expect(sheet(page).getByRole("button", { name: "Save notes" })).toBeHidden();
    await page.reload();
    await expect(sheet(page).getByLabel("Stop loss")).toHaveValue(limit);
    await sheet(page).getByLabel("Market outlook").fill("Never mind");
    await sheet(page).getByRole("button", { name: "Discard" }).click();
    await expect(sheet(page).getByLabel("Market outlook")).toHaveValue("");
  });

  test("[T11] the footer says whether notes are saved, with the button in view at 1280 × 900", async ({
    page,
  }) => {
    await page.setViewportSize({ width: 1280, height: 900 });
    await row(page, 1).click();
    await expect(sheet(page).getByText("Closing saves your notes.")).toBeInViewport({ ratio: 1 });
    await sheet(page).getByLabel("Notes").fill("Too early.");
    await expect(sheet(page).getByText("Unsaved notes. Closing saves them.")).toBeInViewport({ ratio: 1 });
    const save = sheet(page).getByRole("button", { name: "Save notes" });
    await expect(save).toBeInViewport({ ratio: 1 });
    await expect(sheet(page).getByRole("button", { name: "Discard" })).toBeInViewport({ ratio: 1 });
    await expectAccessible(page);
    await save.click();
    await expect(save).toBeHidden();
    await expect(sheet(page).getByText("Closing saves your notes.")).toBeVisible();
  });

  test("notes that cannot be saved keep the panel open", async ({ page, expectedErrors }) => {
    expectedErrors.push(/ERR_FAILED/);
    await row(page, 1).click();
    await sheet(page).getByLabel("Notes").fill("Do not lose this.");
    await page.route("**/trades/*", (route) =>
      route.request().method() === "PATCH" ? route.abort() : route.fallback(),
    );
    await page.keyboard.press("Escape");
    await expect(sheet(page).getByRole("alert").filter({ hasText: "could not be reached" })).toBeVisible();
    await expect(sheet(page).getByLabel("Notes")).toHaveValue("Do not lose this.");
    await page.unroute("**/trades/*");
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(row(page, 1)).toContainText("has notes");
  });

  test("invalid notes are kept after Back and a reload until they are saved", async ({ page, account }) => {
    const [newest] = (await getClient(account.request, account.token)).trades;
    if (newest?.type !== "buy") throw new Error("The newest trade is a purchase.");
    await row(page, 1).click();
    await sheet(page).getByLabel("Notes").fill("Do not lose this.");
    await sheet(page).getByLabel("Stop loss").fill("12,5");
    await page.goBack();
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(page.getByText(/^Your notes on .+ could not be saved\.$/)).toBeVisible();

    await row(page, 1).click();
    for (const look of ["again", "after a reload"]) {
      await expect(sheet(page).getByLabel("Notes"), look).toHaveValue("Do not lose this.");
      await expect(sheet(page).getByLabel("Stop loss"), look).toHaveValue("12,5");
      await expect(sheet(page).getByRole("alert"), look).toContainText("Enter the stop loss as a number");
      await page.reload();
    }
    await sheet(page)
      .getByLabel("Stop loss")
      .fill(String(Math.floor(newest.price) - 1));
    await sheet(page).getByRole("button", { name: "Save notes" }).click();
    await expect(sheet(page).getByText("Saved.")).toBeVisible();
    const kept = await page.evaluate(() => Object.keys(sessionStorage).filter((key) => /^notes/.test(key)));
    expect(kept).toEqual([]);
  });

  test("notes that could not be saved on Back are kept", async ({ page, expectedErrors }) => {
    expectedErrors.push(/ERR_FAILED/);
    await row(page, 1).click();
    await sheet(page).getByLabel("Notes").fill("Do not lose this.");
    await page.route("**/trades/*", (route) =>
      route.request().method() === "PATCH" ? route.abort() : route.fallback(),
    );
    await page.goBack();
    await expect(page.getByText(/^Your notes on .+ could not be saved\.$/)).toBeVisible();
    await page.unroute("**/trades/*");
    await row(page, 1).click();
    await expect(sheet(page).getByLabel("Notes")).toHaveValue("Do not lose this.");
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(row(page, 1)).toContainText("has notes");
  });

  test("is edited with the checks of an entry and marked, and Undo restores it", async ({
    page,
    account,
  }) => {
    const [before] = (await getClient(account.request, account.token)).trades;
    await row(page, 1).click();
    await sheet(page).getByRole("button", { name: "Edit" }).click();
    await expect(sheet(page).getByLabel("Symbol")).toBeFocused();
    await sheet(page).getByLabel("Symbol").fill("");
    await sheet(page).getByLabel("Price").fill("0");
    await sheet(page).getByLabel("Quantity").fill("1.5");
    await sheet(page).getByRole("button", { name: "Save" }).click();
    const summary = sheet(page).getByRole("alert").filter({ hasText: "There is a problem" });
    await expect(summary).toBeFocused();
    for (const words of [
      "Enter the symbol.",
      "Enter a price above 0.",
      "Enter a whole quantity, such as 50.",
    ]) {
      await expect(summary.getByRole("link", { name: words })).toBeVisible();
    }
    await expectAccessible(page);

    await sheet(page).getByLabel("Symbol").fill("TATAPOWER");
    await sheet(page).getByLabel("Price").fill("410.35");
    await sheet(page).getByLabel("Quantity").fill("12");
    await sheet(page).getByLabel("Date and time").fill("2024-01-05T11:22:33");
    await page.keyboard.press("Enter");
    await expect(sheet(page).getByText("Saved.")).toBeVisible();
    await expect(sheet(page).getByRole("button", { name: "Edit" })).toBeFocused();
    for (const words of ["Edited", "From Zerodha's file", "₹4,924.20", "Fri, 5 Jan 2024, 11:22 am"]) {
      await expect(sheet(page).getByText(words, { exact: true })).toBeVisible();
    }
    await expect(row(page, 1).getByRole("cell")).toHaveText([
      before?.type === "buy" ? "BUY" : "SELL",
      "TATAPOWER",
      "12",
      "₹410.35",
      "5 Jan 2024, 11:22 am",
      "Zerodha",
      "opens",
    ]);

    await expect(sheet(page).getByRole("button", { name: "Undo" })).toBeInViewport({ ratio: 1 });
    await sheet(page).getByRole("button", { name: "Undo" }).click();
    await expect(sheet(page).getByText("Undone. The trade is as it was before.")).toBeVisible();
    await expect(row(page, 1)).toContainText(before?.symbol ?? "");
    const [after] = (await getClient(account.request, account.token)).trades;
    expect(after).toEqual(before);
  });

  test("is deleted without a confirmation, and Undo restores it", async ({ page, account }) => {
    const [first] = (await getClient(account.request, account.token)).trades;
    await row(page, 1).click();
    await sheet(page).getByRole("button", { name: "Delete" }).click();
    const side = first?.type === "buy" ? "BUY" : "SELL";
    const news = page.getByRole("status").filter({ hasText: `${side} ${first?.symbol} was deleted.` });
    await expect(news).toBeVisible();
    await expect(page).toHaveURL(LOG);
    await expect(page.getByText("59 trades, newest first")).toBeVisible();
    await expectAccessible(page);
    await news.getByRole("button", { name: "Undo" }).click();
    await expect(page.getByText("Undone. 1 trade restored.")).toBeVisible();
    await expect(page.getByRole("heading", { level: 1, name: "Trade Log" })).toBeFocused();
    await expect(page.getByText("60 trades, newest first")).toBeVisible();
    const done = page.getByRole("status").filter({ hasText: "Undone." });
    await done.getByRole("button", { name: "Dismiss" }).click();
    await expect(page.getByText("Undone.")).toHaveCount(0);
  });
});

test.describe("one leg of an entry", () => {
  test.beforeEach(async ({ account, page }) => {
    await addEntry(account, "INFY");
    await addEntry(account, "WIPRO");
    await page.goto(LOG);
    await expect(tableRows(page)).toHaveCount(4);
  });

  test("asks if the other leg is deleted too; Cancel has the focus", async ({ page }) => {
    await tableRows(page).filter({ hasText: "INFY" }).first().click();
    await expect(sheet(page).getByText("Entered manually")).toBeVisible();
    await sheet(page).getByRole("button", { name: "Delete" }).click();
    const question = page.getByRole("dialog", { name: "Delete one leg or both?" });
    await expect(question.getByRole("button", { name: "Cancel" })).toBeFocused();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await expect(question).toBeHidden();

    await sheet(page).getByRole("button", { name: "Delete" }).click();
    await question.getByRole("button", { name: "Delete both legs" }).click();
    await expect(page.getByText("Both legs of INFY were deleted.")).toBeVisible();
    await expect(tableRows(page)).toHaveCount(2);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(page.getByText("Undone. 2 trades restored.")).toBeVisible();
    await expect(tableRows(page)).toHaveCount(4);
  });

  test("is deleted alone if chosen", async ({ page }) => {
    await tableRows(page).filter({ hasText: "INFY" }).filter({ hasText: "SELL" }).click();
    await sheet(page).getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete this leg" }).click();
    await expect(page.getByText("SELL INFY was deleted.")).toBeVisible();
    await expect(tableRows(page).filter({ hasText: "INFY" })).toHaveCount(1);
  });
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 320, height: 640 }, hasTouch: true, colorScheme: "dark" });

  test("a tap on a card opens the trade over the whole screen", async ({ page, account }) => {
    await addEntry(account, "INFY");
    await page.goto(LOG);
    await page.getByRole("list", { name: "Trades" }).locator("li[aria-posinset='1']").tap();
    await expect(sheet(page).getByRole("heading", { name: "INFY" })).toBeVisible();
    await expect.poll(async () => (await sheet(page).boundingBox())?.width).toBe(320);
    for (const name of ["Close", "Delete", "Edit"]) {
      await expect(sheet(page).getByRole("button", { name })).toBeInViewport({ ratio: 1 });
    }
    await expectAccessible(page);
    await sheet(page).getByRole("button", { name: "Edit" }).tap();
    await expectAccessible(page);
    await expect.poll(() => sheet(page).evaluate((element) => element.scrollWidth)).toBeLessThanOrEqual(320);
  });
});
