import type { Page } from "@playwright/test";
import { tradebookPath, ROWS } from "./tradebooks.ts";
import { expect, expectAccessible, test } from "./test-fixtures.ts";

const file = (page: Page) => page.getByLabel("Excel file");
const upload = (page: Page) => page.getByRole("button", { name: "Upload", exact: true });
const found = (page: Page) => page.getByRole("region", { name: "File contents" });

test.beforeEach(async ({ page }) => {
  await page.goto("/test");
  await expect(page.getByRole("heading", { level: 1, name: "Excel Upload Test" })).toBeVisible();
});

test("[2Q-01] [5X-06] it asks for a file, .xlsx or .xls, and is no page for search engines", async ({
  page,
}) => {
  await expect(file(page)).toHaveAttribute("accept", ".xlsx,.xls");
  await expect(page.locator('meta[name="robots"]')).toHaveAttribute("content", "noindex");
  await upload(page).click();
  await expect(page.getByRole("alert")).toHaveText("Please select a file first.");
  await expect(file(page)).toBeFocused();
  await expectAccessible(page);
});

test("[7J-04] it shows what a broker's file holds, without a session", async ({ page }) => {
  await file(page).setInputFiles(tradebookPath("zerodha", ROWS.some));
  const asked = page.waitForRequest("**/api/v1/upload");
  await upload(page).click();
  expect((await asked).headers().authorization).toBeUndefined();
  await expect(found(page)).toContainText("Zerodha, Equity");
  await expect(found(page).getByRole("definition").filter({ hasText: /^60$/ })).toHaveCount(2);
  await expect(found(page).getByRole("heading", { name: "The first 20 trades" })).toBeVisible();
  await expect(found(page).getByRole("row")).toHaveCount(21);
  await expectAccessible(page);
});

test("[7J-05] [8E-18] a file that cannot be read is answered with Upload failed and the server's sentence", async ({
  page,
  expectedErrors,
}) => {
  expectedErrors.push(/Failed to load resource.*422/);
  await file(page).setInputFiles({
    name: "notes.xlsx",
    mimeType: "text/plain",
    buffer: Buffer.from("hello"),
  });
  const answer = page.waitForResponse("**/api/v1/upload");
  await upload(page).click();
  const { detail }: { detail: string } = await (await answer).json();
  const alert = page.getByRole("alert").filter({ hasText: "Upload failed" });
  await expect(alert).toContainText(detail);
  await expect(found(page)).toBeHidden();
  // The file stays chosen, to be sent again or changed.
  await expect(page.getByText("notes.xlsx")).toBeVisible();
});
