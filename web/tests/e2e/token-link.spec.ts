import type { Page } from "@playwright/test";
import { newAccount } from "./accounts.ts";
import { deskTest, expect, expectAccessible, test } from "./watched-page.ts";

const tokenIn = (page: Page) => page.evaluate(() => localStorage.getItem("token"));
const logout = (page: Page) => page.getByRole("link", { name: "Logout" });
const cancel = (page: Page) => page.getByRole("dialog").getByRole("button", { name: "Cancel" });
const goOn = (page: Page) => page.getByRole("dialog").getByRole("button", { name: "Continue" });

/** What a token of this shape says; the server never signed it. */
function unsigned(claims: object): string {
  return `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c2ln`;
}

/** The addresses of all calls, as they stood in the address bar when each was made. */
function watchCalls(page: Page): { url: string; from: string }[] {
  const calls: { url: string; from: string }[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/api/")) calls.push({ url: request.url(), from: page.url() });
  });
  return calls;
}

test("[2B-01] [2B-02] [2B-03] a token in the address is taken out of it, asked about, checked, stored and used", async ({
  page,
  account,
}) => {
  const calls = watchCalls(page);
  await page.goto(`/?token=${encodeURIComponent(account.token)}&from=mail#top`);
  const question = page.getByRole("dialog", { name: `Continue as ${account.name} (${account.email})?` });
  await expect(question).toBeVisible();
  await expect(page).toHaveURL("/?from=mail#top");
  await expectAccessible(page);
  expect(calls).toEqual([]);
  expect(await tokenIn(page)).toBeNull();

  await goOn(page).click();
  await expect(logout(page)).toBeVisible();
  await expect(page.getByText(`You are logged in as ${account.name}.`)).toBeVisible();
  expect(await tokenIn(page)).toBe(account.token);
  expect(calls.map(({ url }) => new URL(url).pathname)).toEqual(["/api/v1/account"]);
  for (const { url, from } of calls) expect(url + from).not.toContain("token=");

  await page.getByRole("link", { name: "Go to Dashboard" }).first().click();
  await expect(page.getByRole("button", { name: /Asha Rao/ })).toBeVisible();
  await expect(page.getByText("You are logged in as")).toBeHidden();
});

test("[2B-02] who says no to a token in the address stays logged out", async ({ page, account }) => {
  await page.goto(`/login?token=${account.token}`);
  await cancel(page).click();
  await expect(page).toHaveURL("/login");
  await expect(page.getByRole("dialog")).toBeHidden();
  expect(await tokenIn(page)).toBeNull();
});

deskTest(
  "[2B-02] a token in the address takes the place of no session before both names were shown",
  async ({ page, account, playwright, baseURL }, { workerIndex }) => {
    const request = await playwright.request.newContext({ baseURL: baseURL ?? "" });
    const other = await newAccount(request, workerIndex);
    await page.goto(`/?token=${other.token}`);
    const question = page.getByRole("dialog", { name: `(${other.email})?` });
    await expect(question).toContainText(account.email);
    await page.keyboard.press("Escape");
    await expect(question).toBeHidden();
    expect(await tokenIn(page)).toBe(account.token);

    await page.goto(`/?token=${other.token}`);
    await goOn(page).click();
    await expect.poll(() => tokenIn(page)).toBe(other.token);
    await request.dispose();
  },
);

test("[5X-09] [8E-17] a token in the address that names nobody is logged and ignored", async ({
  page,
  expectedErrors,
}) => {
  expectedErrors.push(/Ignored a token without/);
  const calls = watchCalls(page);
  for (const token of ["junk", unsigned({ name: "Asha" }), unsigned({ email: "asha@example.in" }), ""]) {
    const logged = token && page.waitForEvent("console", (message) => /Ignored a token without/.test(message.text()));
    await page.goto(`/?token=${token}`);
    await logged;
    await expect(page).toHaveURL("/");
    await expect(page.getByRole("link", { name: "Login/Signup" })).toBeVisible();
    await expect(page.getByRole("dialog")).toBeHidden();
  }
  expect(calls).toEqual([]);
});

for (const audience of ["api", "sign-in"]) {
  test(`[5X-09] a forged token for ${audience} is logged and ignored, with one quiet line`, async ({
    page,
    expectedErrors,
  }) => {
    expectedErrors.push(/status of 4\d\d/, /Ignored the token/);
    const claims = { name: "Asha Rao", email: "asha@example.in", aud: audience };
    await page.goto(`/?token=${unsigned(claims)}`);
    if (audience === "api") await goOn(page).click();
    await expect(page.getByText("That login link did not work.")).toBeVisible();
    await expectAccessible(page);
    await expect(page.getByRole("link", { name: "Login/Signup" })).toBeVisible();
    expect(await tokenIn(page)).toBeNull();
    await page.getByRole("button", { name: "Dismiss" }).click();
    await expect(page.getByText("That login link did not work.")).toBeHidden();
  });
}
