import type { Page } from "@playwright/test";
import { expect, expectAccessible, test } from "./test-fixtures.ts";
import { ROWS, tradebookPath } from "./tradebooks.ts";

const file = (page: Page) => page.getByLabel("Excel file");
const upload = (page: Page) => page.getByRole("button", { name: "Upload", exact: true });
const contents = (page: Page) => page.getByRole("region", { name: "File contents" });

test.beforeEach(async ({ page }) => {
  await page.goto("/test");
  await expect(page.getByRole("heading", { level: 1, name: "Excel Upload Test" })).toBeVisible();
});

test("[2Q-01] [5X-06] it requires a file, .xlsx or .xls, and has noindex", async ({ page }) => {
  await expect(file(page)).toHaveAttribute("accept", ".xlsx,.xls");
  await expect(page.locator('meta[name="robots"]')).toHaveAttribute("content", "noindex");
  await upload(page).click();
  await expect(page.getByRole("alert")).toHaveText("Please select a file first.");
  await expect(file(page)).toBeFocused();
  await expectAccessible(page);
});

test("[7J-04] it shows the content of a broker's file without a session", async ({ page }) => {
  await file(page).setInputFiles(tradebookPath("zerodha", ROWS.some));
  const uploadRequest = page.waitForRequest("**/api/v1/upload");
  await upload(page).click();
  expect((await uploadRequest).headers().authorization).toBeUndefined();
  await expect(contents(page)).toContainText("Zerodha, Equity");
  await expect(contents(page).getByRole("definition").filter({ hasText: /^60$/ })).toHaveCount(2);
  await expect(contents(page).getByRole("heading", { name: "The first 20 trades" })).toBeVisible();
  await expect(contents(page).getByRole("row")).toHaveCount(21);
  await expectAccessible(page);
});

test("[7J-05] [8E-18] a file that cannot be read shows Upload failed and the message of the server", async ({
  page,
  expectedErrors,
}) => {
  expectedErrors.push(/Failed to load resource.*422/);
  await file(page).setInputFiles({
    name: "notes.xlsx",
    mimeType: "text/plain",
    buffer: Buffer.from("hello"),
  });
  const responsePromise = page.waitForResponse("**/api/v1/upload");
  await upload(page).click();
  const { detail }: { detail: string } = await (await responsePromise).json();
  const alert = page.getByRole("alert").filter({ hasText: "Upload failed" });
  await expect(alert).toContainText(detail);
  await expect(contents(page)).toBeHidden();
  // The file stays chosen.
  await expect(page.getByText("notes.xlsx")).toBeVisible();
});
