import type { Page } from "@playwright/test";
import { confirmEmail, newAccount } from "./accounts.ts";
import { deskTest, expect, expectAccessible, test } from "./test-fixtures.ts";

const tokenIn = (page: Page) => page.evaluate(() => localStorage.getItem("token"));
const logout = (page: Page) => page.getByRole("link", { name: "Logout" });
const cancel = (page: Page) => page.getByRole("dialog").getByRole("button", { name: "Cancel" });
const continueButton = (page: Page) => page.getByRole("dialog").getByRole("button", { name: "Continue" });

/** Creates a token with these claims and an invalid signature. */
function unsigned(claims: object): string {
  return `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c2ln`;
}

/** Records the URL of the page at each API call. */
function watchCalls(page: Page): { url: string; from: string }[] {
  const calls: { url: string; from: string }[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/api/")) calls.push({ url: request.url(), from: page.url() });
  });
  return calls;
}

test("[2B-01] [2B-02] [2B-03] a token in the URL is removed from it, verified, confirmed, stored and used", async ({
  page,
  account,
}) => {
  await confirmEmail(account.request, account);
  const calls = watchCalls(page);
  await page.goto(`/?token=${encodeURIComponent(account.token)}&from=mail#top`);
  const question = page.getByRole("dialog", { name: `Continue as ${account.name} (${account.email})?` });
  await expect(question).toBeVisible();
  await expect(page).toHaveURL("/?from=mail#top");
  await expectAccessible(page);
  expect(calls.map(({ url }) => new URL(url).pathname)).toEqual(["/api/v1/auth/check-link"]);
  expect(await tokenIn(page)).toBeNull();

  await continueButton(page).click();
  await expect(logout(page)).toBeVisible();
  await expect(page.getByText(`You are logged in as ${account.name}.`)).toBeVisible();
  expect(await tokenIn(page)).toBe(account.token);
  for (const { url, from } of calls) expect(url + from).not.toContain("token=");

  await page.getByRole("link", { name: "Go to Dashboard" }).first().click();
  await expect(page.getByRole("button", { name: /Asha Rao/ })).toBeVisible();
  await expect(page.getByText("You are logged in as")).toBeHidden();
});

test("[2B-02] refusing a token in the URL keeps the user logged out", async ({ page, account }) => {
  await confirmEmail(account.request, account);
  await page.goto(`/login?token=${account.token}`);
  await cancel(page).click();
  await expect(page).toHaveURL("/login");
  await expect(page.getByRole("dialog")).toBeHidden();
  expect(await tokenIn(page)).toBeNull();
});

deskTest(
  "[2B-02] a token in the URL replaces a session only after both names were shown",
  async ({ page, account, playwright, baseURL }, { workerIndex }) => {
    const request = await playwright.request.newContext({ baseURL: baseURL ?? "" });
    const other = await newAccount(request, workerIndex);
    await confirmEmail(request, other);
    await page.goto(`/?token=${other.token}`);
    const question = page.getByRole("dialog", { name: `(${other.email})?` });
    await expect(question).toContainText(account.email);
    await page.keyboard.press("Escape");
    await expect(question).toBeHidden();
    expect(await tokenIn(page)).toBe(account.token);

    await page.goto(`/?token=${other.token}`);
    await continueButton(page).click();
    await expect.poll(() => tokenIn(page)).toBe(other.token);
    await request.dispose();
  },
);

test("[5X-09] [8E-17] a token in the URL without a user is logged and ignored", async ({
  page,
  expectedErrors,
}) => {
  expectedErrors.push(/Ignored a token without/);
  const calls = watchCalls(page);
  for (const token of ["junk", unsigned({ name: "Asha" }), unsigned({ email: "asha@example.in" }), ""]) {
    const logged =
      token && page.waitForEvent("console", (message) => /Ignored a token without/.test(message.text()));
    await page.goto(`/?token=${token}`);
    await logged;
    await expect(page).toHaveURL("/");
    await expect(page.getByRole("link", { name: "Login/Signup" })).toBeVisible();
    await expect(page.getByRole("dialog")).toBeHidden();
  }
  expect(calls).toEqual([]);
});

for (const audience of ["api", "login"]) {
  test(`[5X-09] [S3] a forged token for ${audience} is logged and ignored, and its text is never shown`, async ({
    page,
    expectedErrors,
  }) => {
    expectedErrors.push(/status of 4\d\d/, /Ignored the token/);
    const claims = { name: "Asha Rao", email: "asha@example.in", aud: audience };
    let release = () => {};
    const checked = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/auth/check-link", async (route) => {
      await checked;
      await route.continue();
    });
    await page.goto(`/?token=${unsigned(claims)}`);
    await expect(page.getByRole("link", { name: "Login/Signup" })).toBeVisible();
    await expect(page.getByText(claims.email)).toBeHidden();
    release();
    await expect(page.getByText("That login link did not work.")).toBeVisible();
    await expectAccessible(page);
    await expect(page.getByRole("dialog")).toBeHidden();
    await expect(page.getByText(claims.email)).toBeHidden();
    await expect(page.getByRole("link", { name: "Login/Signup" })).toBeVisible();
    expect(await tokenIn(page)).toBeNull();
    await page.getByRole("button", { name: "Dismiss" }).click();
    await expect(page.getByText("That login link did not work.")).toBeHidden();
  });
}

test("[S3] a link to an account that somebody registered with the victim's address is refused without a question", async ({
  page,
  account,
  expectedErrors,
}) => {
  expectedErrors.push(/status of 403/, /Ignored the token/);
  await page.goto(`/?token=${account.token}`);
  await expect(page.getByText("That login link did not work.")).toBeVisible();
  await expect(page.getByText("The email address of this account is not confirmed.")).toBeVisible();
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(page.getByText(account.email)).toBeHidden();
  expect(await tokenIn(page)).toBeNull();
  await expectAccessible(page);
});
