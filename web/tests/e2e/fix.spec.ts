import type { Page } from "@playwright/test";
import { type Account, importFile } from "./accounts.ts";
import { DELIVERY, FIVE_YEARS, INTRADAY, MISSING_COST_BASIS, writeTradebook } from "./analytics-book.ts";
import { addTrade } from "./entries.ts";
import { deskTest, expect, expectAccessible } from "./test-fixtures.ts";

const FNO = { broker: "zerodha", tradetype: "fno" } as const;

/** Opens the data issues of an account with one sell without a buy price. */
async function openFix(account: Account, page: Page): Promise<void> {
  const fills = [...INTRADAY, ...DELIVERY, ...MISSING_COST_BASIS];
  await importFile(account, await writeTradebook(`${account.email}-fix`, fills), "zerodha");
  await page.goto("/analytics");
  await page.getByRole("main").getByRole("link", { name: "Fix" }).click();
  await expect(page).toHaveURL("/analytics/fix");
}

/** Opens figures and returns the tiles. */
const figures = (page: Page) => page.getByRole("region", { name: "Figures", exact: true });

/** Adds options that expired on 2 June 2026, and trades of that day that show the price of NIFTY. */
async function addExpiredOptions(account: Account): Promise<void> {
  const option = { quantity: 65, price: 100, timestamp: "2026-05-20T10:30:00+05:30" } as const;
  for (const symbol of ["NIFTY2660225000CE", "NIFTY2660225100CE", "NIFTY2660225200CE"])
    await addTrade(account, { ...option, symbol, type: "buy" }, FNO);
  await addTrade(account, { ...option, symbol: "NIFTY2660223000PE", type: "sell" }, FNO);
  // NIFTY was below 24,120 and above 23,880 at 3 pm.
  const late = { quantity: 65, price: 20 } as const;
  for (const [type, minute] of [
    ["buy", "10"],
    ["sell", "20"],
  ] as const) {
    const timestamp = `2026-06-02T15:${minute}:00+05:30`;
    await addTrade(account, { ...late, symbol: "NIFTY2660224100CE", type, timestamp }, FNO);
    await addTrade(account, { ...late, symbol: "NIFTY2660223900PE", type, timestamp }, FNO);
  }
}

deskTest(
  "all likely answers are applied with one press, and undone with one press",
  async ({ page, account }) => {
    deskTest.slow();
    await addExpiredOptions(account);
    await openFix(account, page);
    await expect(page.getByRole("heading", { level: 1, name: "5 data issues" })).toBeVisible();
    await expect(page.getByRole("heading", { name: "4 with a likely answer" })).toBeVisible();
    await expect(
      page.getByRole("heading", { name: "NIFTY 2 Jun 2026 25,000 CE expired while open" }),
    ).toBeVisible();
    await expect(page.getByText("By your trades of that day, NIFTY closed below 24,361.2.")).toHaveCount(3);
    for (const scheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      for (const width of [320, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        await expectAccessible(page);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect(overflow, `at ${width} px`).toBeLessThanOrEqual(0);
        await page.screenshot({
          path: `${process.env.E2E_FILES}/fix-${scheme}-${width}.png`,
          fullPage: true,
        });
      }
    }

    await page.getByRole("button", { name: "Apply all 4 likely answers" }).press("Enter");
    const result = page.getByRole("status").filter({ hasText: "4 issues answered" });
    // Three premiums of 6,500 are lost, one is kept; the trades of the last day result in 0.
    await expect(result).toContainText(
      /Net P&L was ₹[\d,.]+ and is now −\u2060₹[\d,.]+, −\u2060₹13,\d\d\d\.\d\d\. 1 issue left\./,
    );
    await expect(page.getByRole("heading", { level: 1, name: "1 data issue" })).toBeFocused();
    await page.screenshot({ path: `${process.env.E2E_FILES}/fix-after.png`, fullPage: true });
    // The history survives a reload.
    await page.reload();
    await expect(page.getByRole("heading", { name: "Answered, 4" })).toBeVisible();
    await expect(page.getByText("NIFTY2660225000CE settled at ₹0.00 on 2 Jun 2026")).toBeVisible();
    await page.getByRole("button", { name: "Undo: 4 answers" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "5 data issues" })).toBeVisible();
    await expect(page.getByRole("heading", { name: /^Answered/ })).toHaveCount(0);
  },
);

deskTest("one press takes an account of five years from 7 issues to none", async ({ page, account }) => {
  deskTest.slow();
  await addExpiredOptions(account);
  const option = { type: "buy", quantity: 65, price: 100, timestamp: "2026-05-20T10:30:00+05:30" } as const;
  await addTrade(account, { ...option, symbol: "NIFTY2660225300CE" }, FNO);
  await importFile(account, await writeTradebook(`${account.email}-years`, FIVE_YEARS), "zerodha");
  await page.goto("/analytics");
  await page.getByRole("link", { name: "7 data issues" }).click();
  await expect(page.getByRole("heading", { level: 1, name: /^7 data issues/ })).toBeVisible();
  await page.getByRole("button", { name: "Apply all 7 likely answers" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "No data issues" })).toBeFocused();
  const result = page.getByRole("status").filter({ hasText: "7 issues answered" });
  await expect(result).toContainText("0 issues left.");
  // 38,000 and 500 of shares; four premiums of 6,500 are lost, and one is kept.
  await page.goto("/analytics");
  await expect(figures(page)).toContainText("₹19,000 gross");
  await page.getByRole("link", { name: "Data issues", exact: true }).click();
  await page.getByRole("button", { name: "Undo: 7 answers" }).click();
  await expect(page.getByRole("heading", { level: 1, name: /^7 data issues/ })).toBeVisible();
});

deskTest(
  "[T2] a missing buy price is entered for all shares at once and undone",
  async ({ page, account }) => {
    await openFix(account, page);
    const entry = page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: /^Fix/ });
    await expect(entry).toHaveAccessibleName("Fix 1 open");
    await expect(
      page.getByText("20 sold for ₹5,000.00 on 10 Jul 2025, bought before your first file."),
    ).toBeVisible();
    const form = page.getByRole("form", { name: /WIPRO/ });
    // The date decides about short-term or long-term, so it is never guessed.
    await expect(form.getByLabel("Which day did you buy?")).toHaveValue("");
    await expect(form.getByLabel("Shares", { exact: true })).toHaveValue("20");
    await form.getByRole("button", { name: /^Save/ }).click();
    await expect(form.getByText("Enter the day.")).toBeVisible();
    await expect(form.getByLabel("Which day did you buy?")).toBeFocused();
    await expect(form.getByText("Enter the price in figures, such as 142.35.")).toBeVisible();
    await form.getByLabel("Which day did you buy?").fill("2025-07-11");
    await form.getByLabel("Price per share").fill("₹200.00");
    await form.getByRole("button", { name: /^Save/ }).click();
    await expect(form.getByText("Enter a day up to 10 Jul 2025.")).toBeVisible();
    await expectAccessible(page);
    await form.getByLabel("Which day did you buy?").fill("2025-01-01");
    await form.getByRole("button", { name: /^Save/ }).click();
    await expect(page.getByRole("heading", { level: 1, name: "No data issues" })).toBeFocused();
    await expect(entry).toHaveAccessibleName("Fix");

    // 20 × 50 more.
    await page.getByRole("link", { name: "Analytics" }).first().click();
    await expect(figures(page)).toContainText("₹3,500 gross");
    await page.goto("/analytics/fix");
    await page
      .getByRole("button", {
        name: "Undo: 20 WIPRO held at Zerodha since 1 Jan 2025, bought at ₹200.00 each",
      })
      .click();
    await expect(page.getByRole("heading", { level: 1, name: "1 data issue" })).toBeVisible();
  },
);

deskTest("an expired option without evidence waits for the trader", async ({ page, account }) => {
  const option = { type: "buy", quantity: 65, price: 100, timestamp: "2026-05-20T10:30:00+05:30" } as const;
  await addTrade(account, { ...option, symbol: "NIFTY2660225000CE" }, FNO);
  await addTrade(account, { ...option, symbol: "NIFTY2660226000CE" }, FNO);
  await addTrade(account, { ...option, symbol: "NIFTY2660227000CE" }, FNO);
  await openFix(account, page);
  await expect(page.getByRole("heading", { name: "4 that only you can answer" })).toBeVisible();
  await expect(page.getByRole("button", { name: /^Apply/ })).toHaveCount(0);

  // 65 × 180 less 65 × 100.
  await page.getByRole("button", { name: /^Settled at a price.* 25,000 CE/ }).click();
  const form = page.getByRole("form", { name: /25,000 CE/ });
  await form.getByLabel("Settlement price").fill("180");
  await form.getByRole("button", { name: /^Save/ }).click();
  await expect(page.getByText("1 issue answered")).toBeVisible();
  // That price shows that the others, with higher strikes, expired worthless: they lost their premiums of 6,500.
  await page.getByRole("button", { name: "Apply all 2 likely answers" }).press("Enter");
  await expect(page.getByText("2 issues answered")).toBeVisible();
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await expect(page.getByRole("heading", { name: "2 with a likely answer" })).toBeVisible();
  await page.goto("/analytics");
  await expect(figures(page)).toContainText("₹7,700 gross");
});
