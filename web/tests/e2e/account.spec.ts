import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { bearer, importFile, logIn, logInOnAnotherDevice, newPerson, verifyPhone } from "./accounts.ts";
import { codeSentTo, linkTo } from "./emails.ts";
import { deskTest, expect, expectAccessible, holdRequests, test, waitForFonts } from "./test-fixtures.ts";
import { ROWS, tradebookPath } from "./tradebooks.ts";

const NEW_PASSWORD = "a longer sesame";

const avatar = (page: Page, name: string) => page.getByRole("button", { name: `${name}, account` });
const tokenIn = (page: Page) => page.evaluate(() => localStorage.getItem("token"));

async function submitLogin(page: Page, name: string, password: string) {
  await page.getByLabel("Email or Phone").fill(name);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Login", exact: true }).click();
}

deskTest("[2V-03] the user menu opens the profile, the logout and the settings", async ({ page }) => {
  await page.goto("/dashboard?panel=1");
  const open = () => avatar(page, "Asha Rao").click();
  await open();
  const items = page.locator("[popover]:popover-open").getByRole("link");
  await expect(items).toHaveText(["Profile", "LogOut", "Settings"]);
  await expect(items.nth(1)).toHaveAttribute("href", "/logout");
  await items.nth(0).click();
  await expect(page).toHaveURL("/account?tab=profile");
  await expect(page.getByRole("heading", { level: 1, name: "Account" })).toBeFocused();
  await open();
  await items.nth(2).click();
  await expect(page).toHaveURL("/account?tab=security");
  await expect(items).toHaveCount(0);

  await page.setViewportSize({ width: 360, height: 700 });
  await page.getByRole("button", { name: "Open menu" }).click();
  const drawer = page.getByRole("dialog", { name: "TradeBahi" });
  for (const name of ["Profile", "LogOut", "Settings"])
    await expect(drawer.getByRole("link", { name, exact: true })).toBeVisible();
});

for (const path of ["/account", "/dashboard"]) {
  test(`[6A-04] ${path} requires a login`, async ({ page }) => {
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1, name: "Access Denied", exact: true })).toBeVisible();
    await expect(page.getByRole("link", { name: "Go to Login", exact: true })).toBeVisible();
  });
}

for (const tab of ["profile", "security", "data"]) {
  for (const colorScheme of ["light", "dark"] as const) {
    deskTest(`the account's ${tab} is accessible in ${colorScheme}, and fits 320 px`, async ({ page }) => {
      await page.emulateMedia({ colorScheme });
      await page.goto(`/account?tab=${tab}`);
      await expect(page.getByRole("heading", { level: 2 }).first()).toBeVisible();
      for (const width of [1280, 320]) {
        await page.setViewportSize({ width, height: 800 });
        await expectAccessible(page);
        await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      }
    });
  }
}

deskTest("a changed name is shown in the top bar at once and after a reload", async ({ page, account }) => {
  await page.goto("/account");
  await page.getByLabel("Full Name").fill("Asha Raman");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Saved.")).toBeVisible();
  await expect(avatar(page, "Asha Raman")).toBeVisible();
  await page.reload();
  await expect(avatar(page, "Asha Raman")).toBeVisible();
  await expect(page.getByLabel("Phone Number")).toHaveValue(account.phone);
});

deskTest(
  "a phone number of another account is rejected at its field",
  async ({ page, request, baseURL, expectedErrors }, { workerIndex }) => {
    expectedErrors.push(/status of 409/);
    const otherPerson = newPerson(workerIndex);
    await request.post("/api/v1/auth/register", {
      data: { ...otherPerson, confirmPassword: otherPerson.password },
    });
    await verifyPhone(baseURL, otherPerson);
    await page.goto("/account");
    await page.getByLabel("Phone Number").fill(`+91 ${otherPerson.phone}`);
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByRole("alert").filter({ hasText: "There is a problem" })).toBeFocused();
    await expect(page.getByLabel("Phone Number")).toHaveValue(otherPerson.phone);
  },
);

deskTest(
  "[S4] a phone number is verified by a code in an SMS, and only then logs in",
  async ({ page, account, request, expectedErrors }) => {
    expectedErrors.push(/status of (422|429)/);
    const logInByPhone = () =>
      request.post("/api/v1/auth/login", { data: { email: account.phone, password: account.password } });
    expect((await logInByPhone()).status()).toBe(401);
    await page.goto("/account");
    await expect(page.getByText("Not verified", { exact: true })).toBeVisible();
    await page.getByRole("button", { name: "Verify phone number" }).click();
    await expect(page.getByText(/^We sent a code to \+91 /)).toBeVisible();
    const code = await codeSentTo(account.phone);
    const field = page.getByLabel("Code from the SMS");
    await field.fill(code === "000000" ? "000001" : "000000");
    await page.getByRole("button", { name: "Verify", exact: true }).click();
    await expect(field).toHaveAccessibleDescription(/This is not the code of the last SMS/);
    await page.setViewportSize({ width: 320, height: 700 });
    await expectAccessible(page);
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);

    await page.getByRole("button", { name: "Send another code" }).click();
    await expect(field).toHaveValue("");
    await expect(async () => {
      await field.fill(await codeSentTo(account.phone));
      await field.press("Enter");
      await expect(page.getByText("Verified", { exact: true })).toBeVisible({ timeout: 2_000 });
    }).toPass();
    expect((await logInByPhone()).status()).toBe(200);
  },
);

deskTest("[S4] the account tells when too many codes were requested", async ({ page, expectedErrors }) => {
  expectedErrors.push(/status of 429/);
  await page.goto("/account");
  await page.getByRole("button", { name: "Verify phone number" }).click();
  const again = page.getByRole("button", { name: "Send another code" });
  for (let count = 0; count < 2; count += 1) {
    const response = page.waitForResponse("**/account/phone/code");
    await again.click();
    expect((await response).status()).toBe(202);
  }
  await again.click();
  await expect(page.getByRole("alert").filter({ hasText: "You can try again in 24 hours." })).toBeVisible();
});

deskTest("[S4] without SMS the account says that the number cannot be verified", async ({ page }) => {
  await page.route("**/api/v1/account", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), canVerifyPhone: false } });
  });
  await page.goto("/account");
  await expect(page.getByText("Verification by SMS is not available here.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Verify phone number" })).toHaveCount(0);
});

deskTest(
  "changing the password requires the old one and logs out other devices",
  async ({ page, account, baseURL, request, expectedErrors }) => {
    expectedErrors.push(/status of 422/);
    const otherToken = await logInOnAnotherDevice(baseURL, account);
    await page.goto("/account?tab=security");
    await page.getByLabel("Current password").fill("not the password");
    await page.getByLabel("New password", { exact: true }).fill(NEW_PASSWORD);
    await page.getByLabel("Confirm new password").fill(NEW_PASSWORD);
    const change = page.getByRole("button", { name: "Change password" });
    await change.click();
    await expect(page.getByRole("alert").filter({ hasText: "There is a problem" })).toBeFocused();
    await page.getByLabel("Current password").fill(account.password);
    await change.click();
    await expect(page.getByText("1 other device was logged out.")).toBeVisible();
    await expect(page.getByLabel("Current password")).toHaveValue("");
    const ended = () =>
      request.get("/api/v1/account", { headers: bearer(otherToken) }).then((reply) => reply.status());
    await expect.poll(ended).toBe(401);
    await logIn(request, { ...account, password: NEW_PASSWORD });
  },
);

deskTest("devices are listed and can be logged out", async ({ page, account, baseURL }) => {
  await logInOnAnotherDevice(baseURL, account);
  await logInOnAnotherDevice(baseURL, account);
  await page.goto("/account?tab=security");
  const list = page.getByRole("region", { name: "Where you are logged in" }).getByRole("listitem");
  await expect(list).toHaveCount(3);
  await expect(list.filter({ hasText: "This device" })).toHaveCount(1);
  await expect(list.filter({ hasText: "This device" }).getByRole("button")).toHaveCount(0);
  await list
    .getByRole("button", { name: /^Log out / })
    .first()
    .click();
  await expect(list).toHaveCount(2);
  await page.getByRole("button", { name: "Log out all other devices" }).click();
  await expect(page.getByText("1 other device was logged out.")).toBeVisible();
  await expect(list).toHaveCount(1);
});

deskTest("all data of the account can be downloaded", async ({ page, account }) => {
  await importFile(account, tradebookPath("zerodha", ROWS.few), "zerodha");
  await page.goto("/account?tab=data");
  const download = async (name: RegExp) => {
    const begun = page.waitForEvent("download");
    await page.getByRole("button", { name }).click();
    const file = await begun;
    return { name: file.suggestedFilename(), text: await readFile(await file.path(), "utf8") };
  };
  const json = await download(/^Download everything/);
  expect(json.name).toMatch(/\.json$/);
  const exported = JSON.parse(json.text);
  expect(exported.account).toMatchObject({ email: account.email, name: account.name });
  expect(exported.trades).toHaveLength(ROWS.few);
  const csv = await download(/^Download trades \(CSV\)$/);
  expect(csv.name).toMatch(/\.csv$/);
  expect(csv.text.trimEnd().split(/\r?\n/)).toHaveLength(ROWS.few + 1);
  await expect(page.getByText("Your file was downloaded.")).toBeVisible();
});

deskTest("the palette is stored and applied without a flash", async ({ page, expectedErrors }) => {
  expectedErrors.push(/ERR_FAILED/);
  await page.goto("/account?tab=security");
  await page.getByLabel("Blue and orange").check();
  await expect(page.locator("html")).toHaveAttribute("data-palette", "blue-orange");
  await page.route("**/*.js", (route) => route.abort());
  await page.goto("/", { waitUntil: "commit" });
  await expect(page.locator("html")).toHaveAttribute("data-palette", "blue-orange");
});

deskTest(
  "a deleted account is closed at once and can be restored with its password",
  async ({ page, account, expectedErrors }) => {
    expectedErrors.push(/status of 40[13]/, /status of 422/);
    await page.goto("/account?tab=data");
    await page.getByRole("button", { name: "Delete account" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete your account?" });
    await expect(dialog.getByRole("button", { name: "Cancel" })).toBeFocused();
    await expectAccessible(page);
    await dialog.getByLabel("Your password").fill("not the password");
    await dialog.getByRole("button", { name: "Delete account" }).click();
    await expect(dialog.getByLabel("Your password")).toHaveAccessibleDescription(/\w/);
    await dialog.getByLabel("Your password").fill(account.password);
    await dialog.getByRole("button", { name: "Delete account" }).click();
    await expect(page).toHaveURL("/");
    await expect(page.getByText(/will be deleted on \d+ \w+ \d{4}\./)).toBeVisible();
    await expect(page.getByRole("link", { name: "Login/Signup" })).toBeVisible();
    expect(await tokenIn(page)).toBeNull();

    await page.goto("/login");
    await submitLogin(page, account.email, account.password);
    const closed = page.getByRole("dialog", { name: "This account is closed" });
    await expect(closed).toContainText(/deleted on \d+ \w+ \d{4}/);
    await closed.getByRole("button", { name: "Cancel" }).click();
    await expect(closed).toBeHidden();
    await submitLogin(page, account.email, account.password);
    await closed.getByRole("button", { name: "Restore account" }).click();
    await expect(page).toHaveURL(/\/dashboard/);
    await expect(avatar(page, account.name)).toBeVisible();
  },
);

deskTest("the email address is confirmed with the link in the email", async ({ page, account }) => {
  const reminder = page.getByRole("button", { name: "Confirm your email" });
  await page.goto("/dashboard?panel=1");
  await reminder.click();
  await expect(page.getByRole("dialog")).toContainText(`We sent a link to ${account.email}.`);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Send again" }).click();
  await expect(page.getByText(`Sent to ${account.email}.`)).toBeVisible();

  await page.goto(await linkTo(account.email, "confirm-email"));
  await expect(page).toHaveURL("/confirm-email");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Confirm email address" }).click();
  await expect(
    page.getByRole("heading", { level: 1, name: "Your email address is confirmed" }),
  ).toBeFocused();
  await page.goto("/account");
  await expect(page.getByText("Confirmed", { exact: true })).toBeVisible();
  await expect(reminder).toBeHidden();
});

deskTest("the reminder to confirm the email shifts nothing and can be dismissed", async ({ page }) => {
  const reminder = page.getByRole("button", { name: "Confirm your email" });
  const heading = page.getByRole("heading", { name: "TradeLog is Empty" });
  const user = page.getByRole("button", { name: /, account$/ });
  const arrive = await holdRequests(page, "**/api/v1/account");
  await page.goto("/dashboard?panel=1");
  const places = async () => [await heading.boundingBox(), await user.boundingBox()];
  await expect(heading).toBeVisible();
  await waitForFonts(page);
  const before = await places();
  arrive();
  await expect(reminder).toBeVisible();
  expect(await places()).toEqual(before);

  await reminder.click();
  await page.getByRole("button", { name: "Not now" }).click();
  await expect(reminder).toBeHidden();
  await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
  // The reminder would appear with its script and the account data, which the profile also needs.
  const script = page.waitForResponse("**/assets/confirm-reminder-*.js");
  await page.goto("/account");
  await script;
  await expect(page.getByText("Not confirmed", { exact: true })).toBeVisible();
  await expect(reminder).toBeHidden();
});

test("a forgotten password is reset with the link in the email, once", async ({
  page,
  account,
  request,
  expectedErrors,
}) => {
  expectedErrors.push(/status of 422/);
  await page.goto("/login");
  await page.getByRole("link", { name: "Forgot password?" }).click();
  await page.getByRole("button", { name: "Send link" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Enter your email." })).toBeFocused();
  await page.getByLabel("Email").fill(account.email);
  await page.getByRole("button", { name: "Send link" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Check your inbox" })).toBeFocused();

  const link = await linkTo(account.email, "reset-password");
  const fill = async () => {
    await page.getByLabel("New password", { exact: true }).fill(NEW_PASSWORD);
    await page.getByLabel("Confirm new password").fill(NEW_PASSWORD);
    await page.getByRole("button", { name: "Set new password" }).click();
  };
  await page.goto(link);
  await expect(page).toHaveURL("/reset-password");
  await expectAccessible(page);
  await fill();
  await expect(page.getByRole("heading", { level: 1, name: "Password changed" })).toBeFocused();
  await logIn(request, { ...account, password: NEW_PASSWORD });

  await page.goto(link);
  await fill();
  await expect(page.getByRole("heading", { level: 1, name: "This link is no longer valid" })).toBeFocused();
  await expect(page.getByRole("link", { name: "Send a new link" })).toHaveAttribute(
    "href",
    "/forgot-password",
  );
});

test("pages for links in emails show an error without a token", async ({ page }) => {
  for (const path of ["/reset-password", "/confirm-email"]) {
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1, name: "This link is no longer valid" })).toBeVisible();
    await expectAccessible(page);
  }
});

deskTest(
  "[1A-05] [7A-08] [2H-05] See Analytics opens the analytics with a single-use token",
  async ({ page, account, expectedErrors }) => {
    expectedErrors.push(/status of 401/);
    await importFile(account, tradebookPath("zerodha", ROWS.few), "zerodha");
    await page.goto("/dashboard?panel=1");
    await expect(page.getByRole("button", { name: "See Analytics" })).toHaveCount(2);
    const analyticsRequest = page.waitForRequest(/\/analytics\?token=/);
    await page.getByRole("button", { name: "See Analytics" }).first().click();
    const url = new URL((await analyticsRequest).url());
    const token = url.searchParams.get("token") ?? "";
    const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
    expect(claims).toMatchObject({ aud: "analytics", email: account.email });
    expect(url.search).toBe(`?token=${encodeURIComponent(token)}`);
    expect(token).not.toBe(account.token);

    await expect(page.getByRole("status").filter({ hasText: /\d+ positions?, / })).toBeVisible();
    await expect(page).toHaveURL("/analytics");
    expect(await tokenIn(page)).toBe(account.token);

    await page.goto(`/analytics?token=${token}`);
    await expect(page.getByRole("heading", { level: 1, name: "This link has expired" })).toBeVisible();
  },
);

deskTest(
  "[5X-08] [8E-20] See Analytics without a session shows Missing auth data",
  async ({ page, account, expectedErrors }) => {
    expectedErrors.push(/status of 401/, /ERR_FAILED/);
    await importFile(account, tradebookPath("zerodha", ROWS.few), "zerodha");
    await page.goto("/dashboard?panel=1");
    const button = page.getByRole("button", { name: "See Analytics" }).first();
    await expect(button).toBeVisible();
    // The token is rejected and cannot be renewed; the log stays open.
    await page.route("**/api/v1/auth/refresh", (route) => route.abort());
    await page.route("**/api/v1/auth/handoff", (route) => route.fulfill({ status: 401 }));
    await button.click();
    await expect(page.getByRole("alert").filter({ hasText: "Missing auth data" })).toBeVisible();
  },
);
