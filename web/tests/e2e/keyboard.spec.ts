import type { Page } from "@playwright/test";
import { newPerson } from "./accounts.ts";
import { tabTo } from "./tab-to.ts";
import { expect, test } from "./test-fixtures.ts";
import { tradeTable } from "./trade-table.ts";
import { ROWS, tradebookPath } from "./tradebooks.ts";

async function type(page: Page, label: string, text: string) {
  await tabTo(page, label, "textbox");
  await page.keyboard.type(text);
}

test("a new user gets from the home page to the log with the keyboard only", async ({ page }, {
  workerIndex,
}) => {
  const person = newPerson(workerIndex);
  await page.goto("/");
  await page.keyboard.press("Tab");
  const skip = page.getByRole("link", { name: "Skip to content" });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  await page.keyboard.press("Enter");
  await tabTo(page, "Go to Dashboard", "link");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Access Denied" })).toBeFocused();
  await tabTo(page, "Go to Login", "link");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Login" })).toBeFocused();
  await tabTo(page, "Sign up", "link");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Sign up" })).toBeFocused();

  await type(page, "Full Name", person.name);
  await type(page, "Email", person.email);
  await type(page, "Phone Number", person.phone);
  await type(page, "Password", person.password);
  await type(page, "Confirm Password", person.password);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Registration Successful!" })).toBeFocused();
  await tabTo(page, "Login Now", "link");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Login" })).toBeFocused();
  await type(page, "Email or Phone", person.email);
  await type(page, "Password", person.password);
  await page.keyboard.press("Enter");

  await expect(page.getByRole("heading", { level: 1, name: "Add Trades" })).toBeVisible();
  // The form loads after its heading.
  await expect(page.getByRole("combobox", { name: "Broker", exact: true })).toBeVisible();
  await tabTo(page, "Broker", "combobox");
  await page.keyboard.press("g");
  await expect(page.getByLabel("Broker")).toHaveValue("groww");
  const choosing = page.waitForEvent("filechooser");
  await tabTo(page, "Excel sheet", "button");
  await page.keyboard.press("Space");
  await (await choosing).setFiles(tradebookPath("groww", ROWS.few));
  await tabTo(page, "Submit Trades", "button");
  await page.keyboard.press("Enter");

  await expect(page.getByRole("region", { name: "Import report" })).toContainText("40 trades added");
  await expect(page.getByRole("heading", { level: 1, name: "Trade Log" })).toBeFocused();
  await expect(tradeTable(page).locator("tr[aria-rowindex='2']")).toBeVisible();
  await page.keyboard.press("j");
  await expect(tradeTable(page).locator("tr[aria-current=true]")).toHaveAttribute("aria-rowindex", "2");
});
