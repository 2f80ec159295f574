import { type Account, bearer } from "./accounts.ts";
import { addTrade } from "./entries.ts";
import { deskTest, expect, expectAccessibleEverywhere } from "./test-fixtures.ts";

/** Adds a purchase and a sale on one day. */
async function addIntraday(
  account: Account,
  broker: "zerodha" | "groww",
  day: string,
  quantity: number,
  prices: [number, number],
): Promise<void> {
  const book = { broker, tradetype: "equity" } as const;
  const [bought, sold] = prices;
  const at = (time: string) => `${day}T${time}:00+05:30`;
  await addTrade(
    account,
    { symbol: "INFY", type: "buy", quantity, price: bought, timestamp: at("10:00") },
    book,
  );
  await addTrade(
    account,
    { symbol: "INFY", type: "sell", quantity, price: sold, timestamp: at("11:00") },
    book,
  );
}

/** Adds trades of two years with Zerodha and of one with Groww, and the holders of the accounts. */
async function fill(account: Account): Promise<void> {
  await addIntraday(account, "zerodha", "2024-06-04", 100, [1500, 1400]);
  // Results of crores of rupees need the most room.
  await addIntraday(account, "zerodha", "2025-06-04", 100_000, [1500, 1750.25]);
  await addIntraday(account, "groww", "2025-06-05", 10, [1500, 1600]);
  const settings = { plan: "standard", womanFirstHolder: false };
  for (const [broker, holder] of [
    ["zerodha", "Ravi Kumar"],
    ["groww", "Asha Rao"],
  ] as const) {
    const saved = await account.request.put(`/api/v1/trades/broker-accounts/${broker}/1`, {
      headers: bearer(account.token),
      data: { holder, clientCode: broker === "zerodha" ? "AB1234" : "", settings },
    });
    expect(saved.status()).toBe(200);
  }
}

deskTest("the address of the tax page names the year and the accounts", async ({ page, account }) => {
  await fill(account);
  await page.goto("/analytics/tax");
  const year = page.getByRole("combobox", { name: "Year" });
  const accounts = page.getByRole("combobox", { name: "Accounts" });
  const business = page.getByRole("region", { name: "Business income" });
  await expect(business).toContainText("₹2,50,26,000.00");
  await accounts.selectOption({ label: "Groww" });
  await expect(page).toHaveURL("/analytics/tax?accounts=groww");
  await expect(business).toContainText("₹1,000.00");
  await accounts.selectOption({ label: "Zerodha (AB••34)" });
  await year.selectOption({ label: "FY 2024–25" });
  await expect(page).toHaveURL("/analytics/tax?accounts=zerodha&year=2024-25");
  await expect(business).toContainText("₹10,000.00");

  await page.reload();
  await expect(business).toContainText("₹10,000.00");
  await expect(accounts).toHaveValue("zerodha");
  await page.goBack();
  await expect(year).toHaveValue("2025-26");
  await expect(business).toContainText("₹2,50,25,000.00");
  await page.goBack();
  await expect(accounts).toHaveValue("groww");

  // The file has the name of the one holder, and not the client code.
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Tax pack as Excel" }).click();
  expect((await download).suggestedFilename()).toBe("tradebahi-tax-2025-26-asha-rao.xlsx");
  await page.goto("/analytics/tax?accounts=upstox&year=1999-00");
  await expect(year).toHaveValue("2025-26");
  await expect(accounts).toHaveValue("");
});

deskTest("the tax page prints as a document with all columns", async ({ page, account }) => {
  await fill(account);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto("/analytics/tax?accounts=zerodha");
  await page.evaluate(() => {
    document.documentElement.dataset.theme = "dark";
  });
  await expect(page.getByRole("heading", { name: /^Losses: / })).toBeVisible();
  await expect(page.getByRole("button", { name: "Print", exact: true })).toBeVisible();
  const title = page.getByText("Tax pack of Ravi Kumar, FY 2025–26", { exact: true });
  await expect(title).toBeHidden();

  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  // A4 without its margins.
  await page.setViewportSize({ width: 703, height: 1000 });
  await expect(title).toBeVisible();
  await expect(page.getByText("Accounts: Zerodha (AB••34)", { exact: true })).toBeVisible();
  await expect(page.getByText(/^Printed on \d+ \w+ \d{4} with TradeBahi$/)).toBeVisible();
  for (const role of ["button", "combobox", "navigation"] as const) {
    await expect(page.getByRole(role)).toHaveCount(0);
  }
  const shown = await page.evaluate(() => ({
    background: getComputedStyle(document.documentElement).backgroundColor,
    scheme: getComputedStyle(document.documentElement).colorScheme,
    width: document.documentElement.scrollWidth,
    clipped: Array.from(document.querySelectorAll("main section section"))
      .filter((box) => box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight)
      .map((box) => box.getAttribute("aria-label")),
  }));
  expect(shown).toEqual({ background: "rgb(255, 255, 255)", scheme: "light", width: 703, clipped: [] });
  const business = page.getByRole("region", { name: "Business income" });
  await expect(business.getByRole("columnheader")).toHaveText([
    "Business income",
    "Closed trades",
    "Profits",
    "Losses",
    "Turnover",
    "Charges",
    "Net",
  ]);
  const pdf = await page.pdf({ preferCSSPageSize: true });
  // A4 in points.
  expect(pdf.toString("latin1")).toMatch(/\/MediaBox \[0 0 59\d(\.\d+)? 84\d(\.\d+)?\]/);
});

deskTest("results are in view on a phone of 320 px", async ({ page, account }) => {
  await fill(account);
  await page.setViewportSize({ width: 320, height: 700 });
  await page.goto("/analytics/tax?accounts=zerodha");
  for (const [caption, columns, other] of [
    ["Business income", ["Business income", "Net"], "Turnover₹2,50,25,000.00"],
    ["Income after set-off", ["Income", "Remaining"], "Losses set off−\u2060₹10,0"],
    ["Schedule of losses", ["Loss", "Carried forward"], "Brought forward₹10,0"],
  ] as const) {
    const table = page.getByRole("region", { name: caption });
    await expect(table.getByRole("columnheader")).toHaveText([...columns]);
    await expect(table).toContainText(other);
    expect(await table.evaluate((box) => box.scrollWidth - box.clientWidth), caption).toBe(0);
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  await expectAccessibleEverywhere(page, "tax-phone");
});
