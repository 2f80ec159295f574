import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { getClient } from "./accounts.ts";
import { expect, expectAccessible, deskTest as test } from "./test-fixtures.ts";
import { submitFile } from "./trade-table.ts";
import { ROWS, tradebookPath } from "./tradebooks.ts";

/** Returns a tradebook of forty rows as Zerodha names it for a client code. */
async function tradebookOf(clientCode: string) {
  const buffer = await readFile(tradebookPath("zerodha", ROWS.few, "csv"));
  return { name: `tradebook-${clientCode}-EQ.csv`, mimeType: "text/csv", buffer };
}

async function openImport(page: Page) {
  await page.goto("/dashboard?panel=0");
  await expect(page.getByRole("heading", { level: 1, name: "Add Trades" })).toBeVisible();
}

const report = (page: Page) => page.getByRole("region", { name: "Import report" });

test("identical files of two Zerodha accounts are kept apart, and each account can be named", async ({
  page,
  account,
}) => {
  await openImport(page);
  await submitFile(page, await tradebookOf("AB1234"));
  await expect(report(page)).toBeVisible();

  await openImport(page);
  await submitFile(page, await tradebookOf("CD5678"));
  const notice = page.getByText("This file is from another Zerodha account: client code CD••78");
  await expect(notice).toBeVisible();
  await expect(page.getByText("Its trades are kept apart, as Zerodha 2")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: /^Import / }).click();
  await expect(report(page)).toBeVisible();
  const { trades } = await getClient(page.request, account.token);
  expect(trades).toHaveLength(2 * ROWS.few);

  // From now on the code selects the account, without a question, and nothing is added twice.
  await openImport(page);
  await submitFile(page, await tradebookOf("CD5678"));
  await expect(report(page)).toContainText("already");
  expect((await getClient(page.request, account.token)).trades).toHaveLength(2 * ROWS.few);

  await page.goto("/account?tab=data");
  const second = page.getByRole("listitem").filter({ hasText: "CD••78" });
  await expect(second).toContainText("40 trades");
  await second.getByLabel("Your name for it").fill("Mother");
  await second.getByText("Charges and dates").click();
  await second.getByLabel(/^The first holder is a woman/).check();
  await second.getByLabel("Opened on").fill("2024-04-01");
  await second.getByRole("button", { name: "Add a brokerage" }).click();
  await second.getByRole("button", { name: "Save Zerodha 2" }).click();
  await expect(second.getByRole("alert")).toContainText("Brokerage 1: enter either rupees");
  await second.getByLabel("₹ per order").fill("15");
  await second.getByRole("button", { name: "Save Zerodha 2" }).click();
  await expect(second.getByText("Saved.")).toBeVisible();
  await expectAccessible(page);
  await page.reload();
  await second.getByText("Charges and dates").click();
  await expect(second.getByLabel(/^The first holder is a woman/)).toBeChecked();
  await expect(second.getByLabel("₹ per order")).toHaveValue("15");

  await page.goto("/dashboard?panel=1&broker=zerodha-2");
  await expect(page.getByText(`${ROWS.few} of ${2 * ROWS.few} trades`).first()).toBeVisible();
  await expect(page.getByLabel("Broker", { exact: true }).locator("option:checked")).toHaveText(
    "Mother (CD••78)",
  );
});

test("files of two Zerodha accounts in one drop are kept apart: the second one is reviewed", async ({
  page,
  account,
  expectedErrors,
}) => {
  // The second file was checked before the first one was imported.
  expectedErrors.push(/status of 409/);
  await openImport(page);
  const files = [await tradebookOf("AB1234"), await tradebookOf("CD5678")];
  await page.getByLabel("Excel sheet").setInputFiles(files);
  await page.getByRole("button", { name: "Submit Trades" }).click();
  await expect(page.getByText("This file is from another Zerodha account: client code")).toBeVisible();
  expect((await getClient(page.request, account.token)).trades).toHaveLength(ROWS.few);
  await page.getByRole("button", { name: /^Import / }).click();
  await expect(report(page)).toBeVisible();
  const { trades } = await getClient(page.request, account.token);
  const numbers = trades.map(({ brokerAccount }: { brokerAccount?: number }) => brokerAccount ?? 1);
  expect(numbers.filter((number) => number === 2)).toHaveLength(ROWS.few);
  expect(numbers.filter((number) => number === 1)).toHaveLength(ROWS.few);
});
