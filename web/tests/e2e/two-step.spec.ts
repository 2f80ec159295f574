import { createHmac } from "node:crypto";
import type { Page } from "@playwright/test";
import { bearer, newAccount, newPerson } from "./accounts.ts";
import { deskTest, expect, expectAccessible, test } from "./test-fixtures.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Returns the code that an authenticator app shows some steps of 30 s from now (RFC 6238). The server accepts a step before and after its own, so steps of 0 and 1 are valid even if the next step has begun when it checks. */
function codeAfter(secret: string, steps: number): string {
  const bits = [...secret].map((char) => ALPHABET.indexOf(char).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps));
  const digest = createHmac("sha1", key).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 15;
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

async function setUpApp(page: Page): Promise<string> {
  await page.getByRole("button", { name: "Set up authenticator app" }).click();
  await expect(page.getByRole("img", { name: "QR code for the authenticator app" })).toBeVisible();
  await page.getByRole("button", { name: "Show the key to type it in" }).click();
  const secret = ((await page.locator("code").textContent()) ?? "").replaceAll(" ", "");
  await page.getByLabel("Code from the app").fill(codeAfter(secret, 0));
  await page.getByRole("button", { name: "Turn on" }).click();
  await expect(page.getByRole("heading", { name: "Save your recovery codes" })).toBeFocused();
  return secret;
}

async function submitLogin(page: Page, email: string, password: string) {
  await page.goto("/login");
  await page.getByLabel("Email or Phone").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Login", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Two-step verification" })).toBeFocused();
}

deskTest(
  "[S13] an authenticator app is set up and needed on a new device until that is trusted",
  async ({ page, account, browser, baseURL, expectedErrors }) => {
    expectedErrors.push(/status of 4(03|22)/);
    await page.goto("/account?tab=security");
    await page.setViewportSize({ width: 320, height: 800 });
    const secret = await setUpApp(page);
    const codes = await page
      .locator("li")
      .filter({ hasText: /^[0-9a-z]{4}(-[0-9a-z]{4}){5}$/ })
      .allTextContents();
    expect(codes).toHaveLength(10);
    await expectAccessible(page);
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    await page.getByRole("button", { name: "I saved them" }).click();
    await expect(page.getByText("Two-step verification is on.")).toBeVisible();
    await expect(page.getByText("10 recovery codes left.")).toBeVisible();

    const device = await browser.newContext({
      baseURL: baseURL ?? "",
      viewport: { width: 320, height: 800 },
      // A new context would start with the cookies of this one.
      storageState: { cookies: [], origins: [] },
    });
    const login = await device.newPage();
    await submitLogin(login, account.email, account.password);
    const field = login.getByLabel("Code", { exact: true });
    await expect(field).toHaveAttribute("autocomplete", "one-time-code");
    await expect(field).toHaveAttribute("inputmode", "numeric");
    await expectAccessible(login);
    await expect.poll(() => login.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    await field.fill("000000");
    await field.press("Enter");
    await expect(login.getByText(/This code is wrong or was already used/).first()).toBeVisible();
    await login.getByLabel("Do not ask again on this device for 30 days").check();
    await field.fill(codeAfter(secret, 1));
    await field.press("Enter");
    await expect(login).toHaveURL(/\/dashboard/);
    await login.goto("/logout");
    await login.goto("/login");
    await login.getByLabel("Email or Phone").fill(account.email);
    await login.getByLabel("Password", { exact: true }).fill(account.password);
    await login.getByRole("button", { name: "Login", exact: true }).click();
    await expect(login).toHaveURL(/\/dashboard/);

    await page.reload();
    await page.getByRole("button", { name: /^Remove .*(Chrom|device)/ }).click();
    await expect(page.getByRole("heading", { name: "Trusted devices" })).toHaveCount(0);
    await login.goto("/logout");
    await submitLogin(login, account.email, account.password);
    await login.getByRole("button", { name: "Use a recovery code" }).click();
    await login.getByLabel("Recovery code").fill(codes[0] ?? "");
    await login.getByRole("button", { name: "Continue" }).click();
    await expect(login).toHaveURL(/\/dashboard/);
    await device.close();
  },
);

deskTest(
  "[S13] a sensitive action asks for the password when the login is old, then continues",
  async ({ page, expectedErrors, account }) => {
    expectedErrors.push(/status of 4(03|22)/);
    let isOld = true;
    await page.route("**/api/v1/account/export*", async (route) => {
      if (!isOld) return route.continue();
      const body = { type: "about:blank", title: "Forbidden", status: 403, detail: "", instance: "urn:x" };
      return route.fulfill({
        status: 403,
        contentType: "application/problem+json",
        body: JSON.stringify({ ...body, code: "reauthentication_required" }),
      });
    });
    await page.goto("/account?tab=data");
    await page.getByRole("button", { name: "Download everything (JSON)" }).click();
    const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
    const password = dialog.getByLabel("Your password");
    await expect(password).toBeFocused();
    await expectAccessible(page);
    await password.fill("wrong");
    await password.press("Enter");
    await expect(dialog.getByText("This is not your password.")).toBeVisible();
    isOld = false;
    await password.fill(account.password);
    const download = page.waitForEvent("download");
    await password.press("Enter");
    expect((await download).suggestedFilename()).toContain(".json");
    await expect(dialog).toHaveCount(0);
  },
);

test("[S13] a passkey logs in on a new device", async ({ browser, baseURL, playwright, expectedErrors }, {
  workerIndex,
}) => {
  expectedErrors.push(/status of 403/);
  // Browsers allow passkeys on domains only.
  const origin = (baseURL ?? "").replace("127.0.0.1", "localhost");
  const request = await playwright.request.newContext({ baseURL: origin });
  const account = await newAccount(request, workerIndex);
  const { cookies } = await request.storageState();
  const storedToken = [{ name: "token", value: account.token }];
  const context = await browser.newContext({
    baseURL: origin,
    storageState: { cookies, origins: [{ origin, localStorage: storedToken }] },
  });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await page.goto("/account?tab=security");
  await page.getByRole("button", { name: "Add passkey" }).click();
  await page.getByLabel("Name of the passkey").fill("My laptop");
  await page.getByLabel("Name of the passkey").press("Enter");
  await expect(page.getByRole("heading", { name: "Save your recovery codes" })).toBeFocused();
  await expect(page.getByText("My laptop")).toBeVisible();

  await page.goto("/logout");
  await submitLogin(page, account.email, account.password);
  await page.getByRole("button", { name: "Use passkey" }).click();
  await expect(page).toHaveURL(/\/dashboard/);
  const factors = await request.get("/api/v1/account/second-factors", {
    headers: bearer((await page.evaluate(() => localStorage.getItem("token"))) ?? ""),
  });
  expect((await factors.json()).passkeys[0].lastUsedAt).not.toBeNull();
  await context.close();
  await request.dispose();
});

test("[S13] an unknown account is not told apart by the second step", async ({ request }, {
  workerIndex,
}) => {
  const person = newPerson(workerIndex);
  const reply = await request.post("/api/v1/auth/login", {
    data: { email: person.email, password: person.password },
  });
  expect(reply.status()).toBe(401);
  expect((await reply.json()).code).toBe("invalid_credentials");
});
