import type { Locator, Page } from "@playwright/test";
import { getClient } from "./accounts.ts";
import { expect, expectAccessible, deskTest as test } from "./test-fixtures.ts";
import { submitFile } from "./trade-table.ts";
import { pdfFixturePath } from "./tradebooks.ts";

const PAN = "ABCDE1234F";
const NOTE = pdfFixturePath("zerodha-contract-note");

const file = (page: Page) => page.getByRole("list", { name: "Files" }).getByRole("listitem");

test("a protected contract note is opened with its password, and its charges replace the estimates", async ({
  page,
  account,
  expectedErrors,
}) => {
  // The note without and with a wrong password.
  expectedErrors.push(/status of 422/);
  await page.goto("/dashboard?panel=0");
  await submitFile(page, NOTE);
  await expect(file(page)).toContainText("This PDF has a password.");
  const password = page.getByLabel(/^Password of zerodha-contract-note\.pdf/);
  await password.fill("ABCDE1234G");
  await password.press("Enter");
  await expect(file(page)).toContainText("The password does not open this PDF.");
  await expectAccessible(page);
  await password.fill(PAN);
  await page.getByRole("button", { name: "Open file" }).click();
  // The layout was not verified with a real note, so the import is reviewed.
  await page.getByRole("button", { name: /^Import 12 trades/ }).click();
  await expect(page).toHaveURL("/dashboard?panel=1");
  await expect(page.getByRole("region", { name: "Import report" })).toContainText("12 trades added");
  expect((await getClient(account.request, account.token)).trades).toHaveLength(12);

  await page.goto("/analytics/charges");
  await expect(page.getByText("Charges are those of your contract notes.").first()).toBeVisible();
  await page.getByRole("button", { name: "Show as table" }).first().click();
  await expect(page.getByRole("cell", { name: "as stated by the contract note" }).first()).toBeVisible();
  await expectAccessible(page);

  const notes = page.getByRole("region", { name: "Charges of contract notes and our estimate" });
  await expect(notes.getByRole("row").filter({ hasText: "STT and CTT" })).toBeVisible();
  await page.locator("summary").filter({ hasText: "Day by day" }).click();
  const days = page.getByRole("region", { name: "Contract notes by day" });
  await expect(days.getByRole("row").filter({ hasText: "Shares" }).first()).toContainText("Yes");
  for (const [scheme, width] of [
    ["dark", 320],
    ["light", 1280],
  ] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: 900 });
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await page.screenshot({ path: `${process.env.E2E_FILES}/notes-${scheme}-${width}.png`, fullPage: true });
  }

  // The password is in no store of the browser.
  const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  expect(stored).not.toContain(PAN);

  // The same note again, on a phone: the button is not behind the tabs.
  await page.setViewportSize({ width: 320, height: 800 });
  await page.goto("/dashboard?panel=0");
  await submitFile(page, NOTE);
  await password.fill(PAN);
  await page.getByRole("button", { name: "Open file" }).click();
  await expect(page.getByText("Charges come from 1 contract note.")).toBeVisible();
  expect(await isUncovered(page.getByRole("button", { name: "Use charges" }))).toBe(true);
});

function isUncovered(element: Locator): Promise<boolean> {
  return element.evaluate((node) => {
    const { x, y, width, height } = node.getBoundingClientRect();
    return node.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  });
}
