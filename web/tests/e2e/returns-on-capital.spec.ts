import type { Account } from "./accounts.ts";
import { addTrade } from "./entries.ts";
import { expect, expectAccessibleEverywhere, deskTest as test } from "./test-fixtures.ts";

const HEADER = "particulars,posting_date,cost_center,voucher_type,debit,credit,net_balance";

/** Returns a ledger of Zerodha; each row has particulars, day, voucher and the change of the balance. */
function ledger(opening: number, rows: readonly (readonly [string, string, string, number])[]): string {
  let balance = opening;
  const lines = rows.map(([particulars, day, voucher, change]) => {
    balance += change;
    return [
      particulars,
      day,
      "NSE-EQ - Z",
      voucher,
      Math.max(-change, 0),
      Math.max(change, 0),
      balance,
    ].join();
  });
  return [HEADER, `Opening Balance,,,,,,${opening}`, ...lines, `Closing Balance,,,,,,${balance}`].join("\n");
}

async function importLedger({ request, token }: Account, name: string, text: string): Promise<void> {
  const response = await request.post("/api/v1/uploadexcel/ledger", {
    headers: { Authorization: `Bearer ${token}` },
    multipart: { preview: "false", file: { name, mimeType: "text/csv", buffer: Buffer.from(text) } },
  });
  expect(response.status()).toBe(200);
}

/** Returns a day such as 2026-11-20. */
function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}

test("returns on capital follow from the ledger, the trades and typed prices", async ({ page, account }) => {
  test.slow();
  await addTrade(account, {
    symbol: "TCS",
    type: "buy",
    quantity: 10,
    price: 3_000,
    timestamp: "2025-04-02T10:05:00+05:30",
  });
  await addTrade(
    account,
    { symbol: "ITC", type: "buy", quantity: 1, price: 400, timestamp: "2025-04-02T10:05:00+05:30" },
    { broker: "groww", tradetype: "equity" },
  );
  await page.goto("/analytics/charges");
  const panel = page.getByRole("region", { name: /^Returns on capital/ });
  await expect(panel).toContainText("Zerodha: Import the ledger of this account.");
  await expect(panel).toContainText("Groww: Import the ledger of this account.");
  await expect(panel.getByRole("link", { name: "Add trades" }).first()).toHaveAttribute(
    "href",
    "/dashboard?panel=0",
  );
  await expect(panel.getByRole("definition")).toHaveCount(0);

  await importLedger(
    account,
    "ledger-AB1234.csv",
    ledger(0, [
      ["Funds added using UPI", "2025-04-01", "Bank Receipts", 50_000],
      ["Net settlement for Equity with settlement number: 1", "2025-04-03", "Book Voucher", -30_040],
      ["Payout of 5000/-", daysAgo(4), "Bank Payments", -5_000],
    ]),
  );
  await page.reload();
  await expect(panel.getByText("₹45,000.00", { exact: true })).toBeVisible();
  // Cash of 14,960, and shares of 30,000.
  await expect(panel.getByText("₹44,960.00", { exact: true })).toBeVisible();
  await expect(panel).toContainText(/Period: 1 Apr 2025 to \d/);
  await expect(panel).toContainText("the last day of the ledger");
  await expect(panel).toContainText("The settlements of the ledger and your trades differ by");
  await expect(panel).toContainText("These figures count 1 of 2 accounts.");
  await expect(panel).toContainText(/Zerodha: Counted at cost: TCS. Type a price of .* to value it./);

  // 10 shares, from 3,000 to 3,600.
  await panel.getByRole("link", { name: "Type prices" }).click();
  await page.getByRole("textbox", { name: "Price of TCS" }).fill("3,600");
  await page.goBack();
  await expect(panel.getByText("₹50,960.00", { exact: true })).toBeVisible();
  await expect(panel.getByRole("heading")).toHaveText(/^Returns on capital: \+\d+\.\d\d% a year$/);
  await expect(panel).not.toContainText("Counted at cost");

  const summary = panel.getByText("How we calculate returns");
  await summary.focus();
  await page.keyboard.press("Enter");
  await expect(panel).toContainText("(Modified Dietz)");
  await expect(panel).toContainText("Shares that you gave away or transferred still count");
  await expectAccessibleEverywhere(page, "returns-on-capital");
  await page.setViewportSize({ width: 320, height: 800 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);

  // A later ledger whose balance does not follow.
  await importLedger(
    account,
    "ledger-AB1234-later.csv",
    ledger(10_000, [["Funds added using UPI", daysAgo(2), "Bank Receipts", 1_000]]),
  );
  await page.reload();
  await expect(panel).toContainText(
    /Zerodha: Entries between .* are missing: the balance changes by ₹4,960.00./,
  );
  await expect(panel.getByRole("definition")).toHaveCount(0);
});

test("entries of an unknown kind are named instead of a figure", async ({ page, account }) => {
  await importLedger(
    account,
    "ledger-AB1234.csv",
    ledger(0, [
      ["Funds added using UPI", "2025-04-01", "Bank Receipts", 50_000],
      ["Auction debit for short delivery of INFY", "2025-10-01", "Journal Entry", -1_500.5],
    ]),
  );
  await page.goto("/analytics/charges");
  const panel = page.getByRole("region", { name: /^Returns on capital/ });
  await expect(panel).toContainText("1 Oct 2025 “Auction debit for short delivery of INFY”");
  await expect(panel).toContainText("We cannot tell a payment from a result");
  await expect(panel.getByRole("term")).toHaveCount(0);
});
