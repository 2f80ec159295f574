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
  await expect(page.getByText("Charges are those that your broker states.").first()).toBeVisible();
  await page.getByRole("button", { name: "Show as table" }).first().click();
  await expect(page.getByRole("cell", { name: "as stated by your broker" }).first()).toBeVisible();
  await expectAccessible(page);

  const notes = page.getByRole("region", { name: "Your broker’s charges by kind" });
  await expect(notes.getByRole("row").filter({ hasText: "STT and CTT" })).toBeVisible();
  await page.locator("summary").filter({ hasText: "Day by day" }).click();
  const days = page.getByRole("region", { name: "Stated charges by day" });
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

const DHAN_HEADER =
  "Date,Scrip Name,Exchange,Bill No.,Buy Qty.,Buy Value,Sell Qty.,Sell Value,Brokerage,GST,STT,SEBI Fees,Stamp Duty,Txn. Charges,Oth. Charges,Gross Amount";

test("the charges that a tradebook states replace the estimates", async ({
  page,
  account,
  expectedErrors,
}) => {
  // Zerodha is selected.
  expectedErrors.push(/status of 409/);
  // Two days with charges of 24.61 rupees each, of which the second does not agree with its amount after charges.
  const charges = "20.00,3.60,0.50,0.01,0.20,0.30,0.00";
  const lines = [
    "Global transaction report,From 01-07-2026 to 31-07-2026",
    "UCC,1100000001",
    "",
    DHAN_HEADER,
    `01-07-2026 00:00,State Bank of India,NSE,N1,10,8000.00,10,8100.00,${charges},75.39`,
    `02-07-2026 00:00,State Bank of India,NSE,N2,10,8000.00,10,8100.00,${charges},100.00`,
  ];
  await page.goto("/dashboard?panel=0");
  await submitFile(page, {
    name: "dhan.csv",
    mimeType: "text/csv",
    buffer: Buffer.from(lines.join("\n")),
  });
  await page.getByRole("button", { name: "Import as Dhan" }).click();
  await expect(
    page.getByText("4 trades will be imported. The tradebook states the charges of 1 day."),
  ).toBeVisible();
  await expect(page.getByText(/The charges of this day are not read from this file/).first()).toBeVisible();
  await page.getByRole("button", { name: /^Import 4 trades/ }).click();
  await expect(page).toHaveURL("/dashboard?panel=1");
  expect((await getClient(account.request, account.token)).trades).toHaveLength(4);

  await page.goto("/analytics/charges");
  await expect(
    page.getByText("₹24.61 of the charges are stated by your broker, the rest is estimated.").first(),
  ).toBeVisible();
  await page.locator("summary").filter({ hasText: "Day by day" }).click();
  const day = page.getByRole("region", { name: "Stated charges by day" }).getByRole("row").nth(1);
  await expect(day).toContainText("Tradebook");
  await expect(day).toContainText("₹24.61");
  await expectAccessible(page);
});

function isUncovered(element: Locator): Promise<boolean> {
  return element.evaluate((node) => {
    const { x, y, width, height } = node.getBoundingClientRect();
    return node.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  });
}

test("the layout of a rejected note is shown with names masked, copied and downloaded", async ({
  page,
  context,
  expectedErrors,
}) => {
  expectedErrors.push(/status of 422/);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("/dashboard?panel=0");
  await submitFile(page, pdfFixturePath("zerodha-contract-note-rejected"));
  const offer = page.getByRole("button", { name: "Help us read this note" });
  await expect(file(page)).toContainText("This PDF has a password.");
  await expect(offer).toBeHidden();
  await page.getByLabel(/^Password of /).fill(PAN);
  await page.getByRole("button", { name: "Open file" }).click();
  await expect(file(page)).toContainText("Contract note CN/26/7 is not imported");

  // A failure that may pass can be repeated by keyboard.
  const dialog = page.getByRole("dialog", { name: "Your note with names and numbers hidden" });
  const close = dialog.getByRole("button", { name: "Close" });
  const retry = dialog.getByRole("button", { name: "Try again" });
  const path = "**/api/v1/uploadexcel/layout";
  const failWith = (status: number) =>
    page.route(path, (route) => route.fulfill({ status, json: {} }), { times: 1 });
  expectedErrors.push(/status of 504/);
  await failWith(504);
  await offer.click();
  await expect(dialog.getByRole("alert")).toHaveText(
    "The server needed too long to read the file. Try again in a few minutes.",
  );
  await expect(retry).toBeFocused();
  await failWith(422);
  await page.keyboard.press("Enter");
  await expect(dialog.getByRole("alert")).toHaveText("The layout could not be read.");
  await expect(retry).toBeHidden();
  await expect(close).toBeFocused();
  await page.keyboard.press("Escape");

  await offer.focus();
  await page.keyboard.press("Enter");
  const layout = dialog.getByRole("region", { name: "Text of your note" });
  await expect(layout).toContainText("Contract Note No: Xxxx");
  await expect(dialog.getByRole("status")).toHaveText("The text is ready.");
  await expect(close).toBeFocused();
  await expect(dialog.getByRole("link", { name: /@/ })).toHaveAttribute("href", /^mailto:/);
  const text = (await layout.textContent()) ?? "";
  expect(text).not.toMatch(/RELIANCE|SBIN|INFY|INE0|AB1|CN\/26/);
  expect(text.replaceAll(/\{[^}]*\}/g, "")).not.toMatch(/[0-8]/);

  for (const [scheme, width] of [
    ["dark", 320],
    ["light", 320],
    ["dark", 1280],
    ["light", 1280],
  ] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: 720 });
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await page.screenshot({ path: `${process.env.E2E_FILES}/layout-${scheme}-${width}.png` });
  }

  // The text scrolls by keyboard.
  await layout.focus();
  await page.keyboard.press("End");
  await expect.poll(() => layout.evaluate((element) => element.scrollTop)).toBeGreaterThan(0);
  await dialog.getByRole("button", { name: "Copy" }).click();
  await expect(dialog.getByRole("status")).toHaveText("Copied.");
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(text);
  const download = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Download" }).click();
  expect((await download).suggestedFilename()).toBe("contract-note-layout.txt");

  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(offer).toBeFocused();
  const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  expect(stored).not.toContain("Contract Note No");
});
