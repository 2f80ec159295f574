import { expect, expectAccessible, test } from "./test-fixtures.ts";

test("an operation can be found by keyboard, read, and its command copied", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("/api/docs");
  const search = page.getByRole("searchbox", { name: "Search operations and schemas" });
  // The script loads at the first key press.
  await expect(async () => {
    await page.keyboard.press("/");
    await expect(search).toBeFocused({ timeout: 100 });
  }).toPass();
  await search.fill("add a trade to a book");
  await expect(page.getByRole("status").first()).toHaveText("1 operation");

  await page.getByText("Add a trade to a book").click();
  await page.getByRole("button", { name: "Copy curl, addTrade" }).click();
  await expect(page.getByRole("button", { name: "Copied curl, addTrade" })).toBeVisible();
  const command = await page.evaluate(() => navigator.clipboard.readText());
  expect(command).toContain('curl "$ORIGIN/api/v1/trades/add"');
  expect(command).toContain('-H "Authorization: Bearer $TOKEN"');
  await expectAccessible(page);
});

test("the URL of an operation opens it, and a type links to its schema", async ({ page }) => {
  await page.goto("/api/docs#getTrade");
  await page.mouse.move(10, 10);
  const operation = page.locator("#getTrade");
  await expect(operation).toHaveAttribute("open", "");
  await operation.getByRole("link", { name: "Trade", exact: true }).click();
  await expect(page.locator("#Trade")).toHaveAttribute("open", "");
  await expect(page.locator("#Trade").getByText("Price per unit in rupees.")).toBeVisible();
});

test("openapi.yaml is at the linked URL", async ({ page, request }) => {
  await page.goto("/api/docs");
  const link = page.getByRole("link", { name: "openapi.yaml" });
  const reply = await request.get((await link.getAttribute("href")) ?? "");
  expect(reply.headers()["content-type"]).toBe("application/yaml");
  expect(await reply.text()).toMatch(/^openapi: 3\.1\.0\n/);
});
