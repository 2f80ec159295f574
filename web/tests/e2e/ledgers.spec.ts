import { writeFile } from "node:fs/promises";
import { expect, expectAccessible, deskTest as test } from "./test-fixtures.ts";
import { submitFile } from "./trade-table.ts";

const HEADER = "particulars,posting_date,cost_center,voucher_type,debit,credit,net_balance";
const ROWS = [
  "Funds added using UPI,2026-04-01,NSE-EQ - Z,Bank Receipts,0,5000,15000",
  "DP Charges for Sale of INFY on 02/04/2026,2026-04-03,NSE-EQ - Z,Journal Entry,15.34,0,14984.66",
  "AMC for Demat Account for 01-04-2026 to 30-06-2026,2026-04-06,NSE-EQ - Z,Journal Entry,88.5,0,14896.16",
  "Being pledge charges for INFY,2026-05-06,NSE-EQ - Z,Journal Entry,35.4,0,14860.76",
];
const LEDGER = [HEADER, "Opening Balance,,,,,,10000", ...ROWS, "Closing Balance,,,,,,14860.76"].join("\n");

const TRADES = [
  ["buy", "2026-04-01T09:30", 1500],
  ["sell", "2026-04-02T10:30", 1540],
] as const;

test("a ledger without trades shows its costs and can be removed", async ({ page, account }) => {
  const form = {
    preview: "false",
    file: { name: "ledger-AB1234.csv", mimeType: "text/csv", buffer: Buffer.from(LEDGER) },
  };
  const response = await account.request.post("/api/v1/uploadexcel/ledger", {
    headers: { Authorization: `Bearer ${account.token}` },
    multipart: form,
  });
  expect(response.status()).toBe(200);
  await page.goto("/analytics/charges");
  const panel = page.getByRole("region", { name: "Costs outside trades", exact: true });
  await expect(panel.getByRole("row", { name: /^Total costs/ })).toContainText("₹123.90");
  await panel.getByText("1 imported ledger").click();
  await panel.getByRole("button", { name: "Remove ledger-AB1234.csv" }).click();
  await page.getByRole("button", { name: "Remove ledger", exact: true }).click();
  await expect(panel).toContainText("No ledger is imported for this period and broker.");
});

test("a ledger is reviewed and imported, and its costs are shown apart from the trades", async ({
  page,
  account,
  expectedErrors,
}, testInfo) => {
  expectedErrors.push(/status of 422/);
  for (const [type, timestamp, price] of TRADES) {
    const trade = { symbol: "INFY", type, timestamp, quantity: 10, price };
    const response = await account.request.post("/api/v1/trades/add", {
      headers: { Authorization: `Bearer ${account.token}` },
      data: { broker: "zerodha", tradetype: "equity", trade },
    });
    expect(response.status()).toBe(200);
  }
  const good = testInfo.outputPath("ledger-AB1234.csv");
  await writeFile(good, LEDGER);
  const changed = testInfo.outputPath("changed.csv");
  await writeFile(changed, LEDGER.replace("88.5,0", "90,0"));

  await page.goto("/dashboard?panel=0");
  const files = page.getByRole("list", { name: "Files" }).getByRole("listitem");
  await submitFile(page, changed);
  await expect(files.first().getByRole("alert")).toContainText(
    "Row 5 states ₹14,896.16, but the entries give ₹14,894.66: a difference of ₹1.50.",
  );
  await submitFile(page, good);
  const row = files.filter({ hasText: "ledger-AB1234.csv" });
  await expect(row).toContainText("4 entries, 1 Apr to 6 May 2026.");
  await expect(row.getByRole("row", { name: /^Costs outside trades/ })).toContainText("₹123.90");
  await expectAccessible(page);
  await row.getByRole("button", { name: "Import ledger" }).click();
  await expect(row.getByRole("status")).toContainText("4 entries added.");
  // The same ledger again needs no answer.
  const again = testInfo.outputPath("ledger-AB1234-again.csv");
  await writeFile(again, LEDGER);
  await submitFile(page, again);
  const second = files.filter({ hasText: "ledger-AB1234-again.csv" });
  await expect(second.getByRole("status")).toContainText(
    "Nothing new: all of its entries are already imported.",
  );

  await page.goto("/analytics/charges");
  const panel = page.getByRole("region", { name: "Costs outside trades", exact: true });
  await expect(panel).toContainText("They are not included in the results of trades.");
  await expect(panel.getByRole("row", { name: /^Total costs/ })).toContainText("₹123.90");
  await expect(panel).toContainText("DP charges, already estimated in trades and not added here: ₹15.34.");
  await expectAccessible(page);

  await page.goto("/analytics/tax");
  await page.locator("summary").filter({ hasText: "Costs outside trades: ₹123.90" }).click();
  await expect(page.getByRole("row", { name: /^Total costs/ })).toContainText("₹123.90");
  await expect(page.getByRole("row", { name: /^DP charges/ })).toContainText("already estimated in trades");
  await expect(page.getByRole("row", { name: /^Deposits/ })).toHaveCount(0);
  await expectAccessible(page);

  await page.setViewportSize({ width: 320, height: 800 });
  await page.goto("/analytics/charges");
  await panel.getByText("1 imported ledger").click();
  await panel.getByRole("button", { name: "Remove ledger-AB1234.csv" }).click();
  await page.getByRole("button", { name: "Remove ledger", exact: true }).click();
  await expect(panel).toContainText("No ledger is imported for this period and broker.");
});
