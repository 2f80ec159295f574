import { readFile } from "node:fs/promises";
import type { Browser, BrowserContext, Page, Request } from "@playwright/test";
import { importFile } from "./accounts.ts";
import { type Fill, writeTradebook } from "./analytics-book.ts";
import { tabTo } from "./tab-to.ts";
import { deskTest, expect, expectAccessibleEverywhere, test } from "./test-fixtures.ts";

/** Returns a purchase and a sale of 100 shares on one day. */
function intraday(day: string, bought: number, sold: number): Fill[] {
  return [
    { symbol: "INFY", side: "buy", quantity: 100, price: bought, at: `${day}T10:00:00` },
    { symbol: "INFY", side: "sell", quantity: 100, price: sold, at: `${day}T11:00:00` },
  ];
}

/** Profits of 27,777 in 2024-25 and of 5,000 in 2025-26, before charges. */
const FILLS = [...intraday("2024-06-04", 1500, 1777.77), ...intraday("2025-06-04", 1500, 1550)];

/** Opens a browser of another person, without a session; the context of the test has that of the trader. */
function newVisitor(browser: Browser, baseURL: string | undefined): Promise<BrowserContext> {
  return browser.newContext({ baseURL: baseURL ?? "", storageState: { cookies: [], origins: [] } });
}

function isApiCall(request: Request): boolean {
  return new URL(request.url()).pathname.startsWith("/api/");
}

async function download(page: Page, button: string): Promise<{ name: string; bytes: Buffer }> {
  const started = page.waitForEvent("download");
  await page.getByRole("button", { name: button }).click();
  const file = await started;
  return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
}

deskTest(
  "an accountant sees and downloads the tax pack of a link, until the trader ends it",
  async ({ page, account, browser, baseURL }) => {
    deskTest.slow();
    await importFile(account, await writeTradebook(`${account.email}-links`, FILLS), "zerodha", "equity");
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto("/analytics/tax");
    await expect(page.getByRole("heading", { name: "Tax pack, FY 2025–26" })).toBeVisible();
    await expect(page.getByRole("heading", { name: "Share with your accountant" })).toBeVisible();

    await page.locator("summary").filter({ hasText: "Share with your accountant" }).focus();
    await page.keyboard.press("Enter");
    await tabTo(page, "Create a link", "button");
    await page.keyboard.press("Enter");
    const recipient = page.getByRole("textbox", { name: "Who gets it" });
    await expect(recipient).toBeFocused();
    await expect(
      page.getByText("Shares: Tax pack, FY 2025–26, all accounts, also those added later"),
    ).toBeVisible();
    await page.keyboard.press("Enter");
    const problem = page.getByRole("alert").filter({ hasText: "There is a problem" });
    await expect(problem).toBeFocused();
    await problem.getByRole("link", { name: "Enter who gets the link." }).click();
    await expect(recipient).toBeFocused();
    await expectAccessibleEverywhere(page, "tax-link-form");
    await recipient.fill("Mehta & Co");
    await expect(page.getByRole("combobox", { name: "Valid for" })).toHaveValue("30");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("heading", { name: "Link for Mehta & Co" })).toBeFocused();
    await expect(
      page.getByText(/it is not shown again\. Anyone .* your trades of FY 2025–26 until /),
    ).toBeVisible();
    const address = await page.getByRole("textbox", { name: "Address" }).inputValue();
    const [path = "", token = ""] = address.replace(/^https?:\/\/[^/]+/, "").split("#");
    expect(path).toBe("/shared-tax-pack");
    expect(token).toMatch(/^[\w-]{20,100}$/);
    await expectAccessibleEverywhere(page, "tax-link-created");
    await page.getByRole("button", { name: "Done" }).click();
    await expect(page.getByRole("button", { name: "Create a link" })).toBeFocused();
    await expect(page.getByRole("textbox", { name: "Address" })).toHaveCount(0);
    await expect(page.getByText("Not opened yet")).toBeVisible();

    const context = await newVisitor(browser, baseURL);
    const requests: Request[] = [];
    const replies: Promise<string>[] = [];
    context.on("request", (request) => requests.push(request));
    context.on("response", (response) => {
      if (response.url().endsWith("/analytics/tax/shared")) replies.push(response.text());
    });
    const visitor = await context.newPage();
    await visitor.goto(`${path}#${token}`);
    const title = `Tax pack of ${account.name}, FY 2025–26`;
    await expect(visitor.getByRole("heading", { level: 1, name: title })).toBeFocused();
    await expect(visitor.getByText(/^Shared with Mehta & Co, valid until /)).toBeVisible();
    await expect(visitor).toHaveTitle("Shared tax pack · TradeBahi");
    const business = visitor.getByRole("region", { name: "Business income" });
    await expect(business.getByRole("row").filter({ hasText: "Intraday" })).toContainText("₹5,000.00");
    await expect(visitor.getByRole("heading", { name: /^Losses: / })).toBeVisible();
    await expect(visitor.getByRole("button", { name: "Losses before your log" })).toHaveCount(0);
    await expect(visitor.getByRole("heading", { name: "Share with your accountant" })).toHaveCount(0);

    // Nothing of another year is in the page or in the files.
    await expect(visitor.getByRole("main")).not.toContainText("27,777");
    expect((await Promise.all(replies)).join()).not.toContain("27777");
    const csv = await download(visitor, "Tax pack as CSV");
    expect(csv.name).toBe("tradebahi-tax-2025-26.csv");
    expect(csv.bytes.toString()).toContain("INFY");
    expect(csv.bytes.toString()).not.toContain("2024-06-04");
    const workbook = await download(visitor, "Tax pack as Excel");
    expect(workbook.name).toBe("tradebahi-tax-2025-26.xlsx");
    expect(workbook.bytes.subarray(0, 2).toString()).toBe("PK");

    // The token is sent in the body of these requests only, and nothing asks for a session.
    for (const request of requests) {
      expect(request.url()).not.toContain(token);
      expect(JSON.stringify(await request.allHeaders())).not.toContain(token);
      expect(await request.headerValue("authorization")).toBeNull();
    }
    const calls = requests.filter(isApiCall);
    const shared = "/api/v1/analytics/tax/shared";
    expect(calls.map((request) => new URL(request.url()).pathname)).toEqual([
      shared,
      `${shared}/export`,
      `${shared}/export`,
    ]);
    for (const request of calls) expect(request.postDataJSON()).toMatchObject({ token });

    // The skip link replaces the fragment for a moment; the address is complete again for a reload.
    await visitor.getByRole("link", { name: "Skip to content" }).focus();
    await visitor.keyboard.press("Enter");
    await expect(visitor).toHaveURL(`${path}#${token}`);
    await expect(visitor.getByRole("heading", { level: 1, name: title })).toBeVisible();
    await expectAccessibleEverywhere(visitor, "shared-tax-pack");

    await page.reload();
    await page.locator("summary").filter({ hasText: "Share with your accountant" }).click();
    await expect(page.getByText(/^Opened once, 2 files downloaded, last on .+ on \w+$/)).toBeVisible();
    const log = page.getByRole("region", { name: /^Access log of the link for Mehta & Co/ });
    await page.getByText(/^Access log/).click();
    await expect(log.getByRole("row").filter({ hasText: "Viewed" })).toHaveCount(1);
    await expect(log.getByRole("row").filter({ hasText: "Downloaded" })).toHaveCount(1);
    await expectAccessibleEverywhere(page, "tax-links");

    await page.getByRole("button", { name: /^End link for Mehta & Co/ }).click();
    const question = page.getByRole("dialog", { name: "End this link?" });
    const cancel = question.getByRole("button", { name: "Cancel" });
    await expect(cancel).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(question).toHaveCount(0);
    await expect(page.getByRole("button", { name: /^End link for Mehta & Co/ })).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(cancel).toBeFocused();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect(page.getByText("The link for Mehta & Co has ended.")).toBeVisible();
    await expect(page.getByRole("heading", { name: "Links, 1" })).toBeFocused();
    await expect(page.getByText(/^Ended on /)).toBeVisible();
    await expect(page.getByRole("button", { name: /^End link/ })).toHaveCount(0);

    await visitor.getByRole("button", { name: "Tax pack as CSV" }).click();
    await expect(visitor.getByRole("alert")).toContainText("This link has expired or was ended.");
    await visitor.reload();
    const ended = visitor.getByRole("heading", { level: 1, name: "This link has expired or was ended" });
    await expect(ended).toBeFocused();
    await expect(visitor.getByRole("main")).not.toContainText("₹");
    await expectAccessibleEverywhere(visitor, "shared-tax-pack-ended");
    await context.close();
  },
);

deskTest(
  "a link needs the password again when the login is old",
  async ({ page, account, expectedErrors }) => {
    expectedErrors.push(/status of 403/);
    await importFile(account, await writeTradebook(`${account.email}-old-login`, FILLS), "zerodha", "equity");
    let isOld = true;
    await page.route("**/api/v1/analytics/tax/links", async (route) => {
      if (!isOld || route.request().method() !== "POST") return route.continue();
      const body = { type: "about:blank", title: "Forbidden", status: 403, detail: "", instance: "urn:x" };
      return route.fulfill({
        status: 403,
        contentType: "application/problem+json",
        body: JSON.stringify({ ...body, code: "reauthentication_required" }),
      });
    });
    await page.goto("/analytics/tax");
    await page.getByRole("combobox", { name: "Year" }).selectOption({ label: "FY 2024–25" });
    await page.locator("summary").filter({ hasText: "Share with your accountant" }).click();
    await page.getByRole("button", { name: "Create a link" }).click();
    await page.getByRole("textbox", { name: "Who gets it" }).fill("Mehta & Co");
    await page.getByRole("combobox", { name: "Valid for" }).selectOption({ label: "7 days" });
    await page.getByRole("button", { name: "Create link" }).click();
    const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
    const password = dialog.getByLabel("Your password");
    await expect(password).toBeFocused();
    await password.fill(account.password);
    isOld = false;
    await password.press("Enter");
    await expect(page.getByRole("heading", { name: "Link for Mehta & Co" })).toBeFocused();
    await expect(page.getByText("Tax pack, FY 2024–25, all accounts, also those added later")).toHaveCount(2);
  },
);

test("an accountant without a connection or with too many attempts can try again", async ({
  page,
  expectedErrors,
}) => {
  expectedErrors.push(/ERR_INTERNET_DISCONNECTED|Failed to fetch|status of 4(04|29)/);
  // The third request reaches the server, which does not know the token.
  let requests = 0;
  await page.route("**/analytics/tax/shared", (route) => {
    requests += 1;
    if (requests === 1) return route.abort("internetdisconnected");
    if (requests === 2) return route.fulfill({ status: 429, headers: { "Retry-After": "30" }, body: "" });
    return route.continue();
  });
  await page.goto(`/shared-tax-pack#${"A".repeat(65)}`);
  const failed = page.getByRole("heading", { level: 1, name: "The tax pack could not be loaded" });
  await expect(failed).toBeFocused();
  await expect(page.getByText("The server could not be reached. Please try again.")).toBeVisible();
  await page.getByRole("button", { name: "Retry" }).click();
  await expect(page.getByText("Too many attempts. You can try again in 30 seconds.")).toBeVisible();
  await page.getByRole("button", { name: "Retry" }).click();
  const expired = page.getByRole("heading", { level: 1, name: "This link has expired or was ended" });
  await expect(expired).toBeFocused();
  expect(requests).toBe(3);
});
