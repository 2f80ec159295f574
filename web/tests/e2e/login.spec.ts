import type { Page } from "@playwright/test";
import { bearer, newPerson, type Person, verifyPhone } from "./accounts.ts";
import { deskTest, expect, expectAccessible, test } from "./test-fixtures.ts";

const login = (page: Page) => page.getByRole("button", { name: "Login", exact: true });
const signup = (page: Page) => page.getByRole("button", { name: "Sign up" });
const tokenIn = (page: Page) => page.evaluate(() => localStorage.getItem("token"));

async function fillLogin(page: Page, name: string, password: string) {
  await page.getByLabel("Email or Phone").fill(name);
  await page.getByLabel("Password", { exact: true }).fill(password);
}

async function fillSignup(page: Page, person: Person) {
  await page.getByLabel("Full Name").fill(person.name);
  await page.getByLabel("Email").fill(person.email);
  await page.getByLabel("Phone Number").fill(person.phone);
  await page.getByLabel("Password", { exact: true }).fill(person.password);
  await page.getByLabel("Confirm Password").fill(person.password);
}

test("[5X-02] an empty login lists its fields and focuses the summary", async ({ page }) => {
  await page.goto("/login");
  await login(page).click();
  await expect(page.getByRole("alert")).toBeFocused();
  await expect(page).toHaveTitle("Error: Login · TradeBahi");
  await expectAccessible(page);
  await expect(page.getByRole("alert").getByRole("link")).toHaveText([
    "Enter your email or phone number.",
    "Enter your password.",
  ]);
  await page.getByRole("link", { name: "Enter your password." }).click();
  await expect(page.getByLabel("Password", { exact: true })).toBeFocused();
});

test("[2G-03] login and sign-up link to each other", async ({ page }) => {
  await page.goto("/login");
  await page.getByRole("main").getByRole("link", { name: "Sign up" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Sign up" })).toBeFocused();
  await page.getByRole("main").getByRole("link", { name: "Login" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Login" })).toBeFocused();
});

for (const wrong of ["password", "account"] as const) {
  test(`[8E-14] [2G-04] [7A-04] a wrong ${wrong} opens the dialog and keeps the input`, async ({
    page,
    account,
    expectedErrors,
  }) => {
    expectedErrors.push(/status of 401/);
    const name = wrong === "account" ? "nobody@example.in" : account.email;
    await page.goto("/login");
    await fillLogin(page, name, "not the password");
    const responsePromise = page.waitForResponse("**/api/v1/auth/login");
    await login(page).click();
    expect(await (await responsePromise).json()).toMatchObject({
      success: false,
      code: "invalid_credentials",
    });

    const modal = page.getByRole("dialog", { name: "Invalid Credentials" });
    await expect(modal).toContainText("Please Check the credentials again!!!");
    await expect(modal.getByRole("button", { name: "Cancel" })).toBeFocused();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await expect(modal).toBeHidden();
    await expect(login(page)).toBeFocused();
    await expect(page.getByLabel("Email or Phone")).toHaveValue(name);
    expect(await tokenIn(page)).toBeNull();
  });
}

test("[7A-03] [7A-04] [W3] the response of a login has success and data.token, which the page stores", async ({
  page,
  account,
}) => {
  await page.goto("/login");
  await fillLogin(page, account.email, account.password);
  const responsePromise = page.waitForResponse("**/api/v1/auth/login");
  await login(page).click();
  const body = await (await responsePromise).json();
  expect(body).toEqual({ success: true, data: { token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) } });
  await expect.poll(() => tokenIn(page)).toBe(body.data.token);
});

for (const { path, fill, send } of [
  { path: "/login", fill: (page: Page) => fillLogin(page, "asha@example.in", "open sesame"), send: login },
  { path: "/signup", fill: (page: Page) => fillSignup(page, newPerson(9_000)), send: signup },
]) {
  test(`[8E-16] ${path} without a server shows Server Error`, async ({ page, expectedErrors }) => {
    expectedErrors.push(/ERR_FAILED|Failed to fetch/);
    await page.route("**/api/**", (route) => route.abort());
    await page.goto(path);
    await fill(page);
    await send(page).click();
    const modal = page.getByRole("dialog", { name: "Server Error" });
    await expect(modal).toContainText("Please try after some time!!!");
    await modal.getByRole("button", { name: "Cancel" }).click();
    await expect(modal).toBeHidden();
    await expect(page.getByLabel("Password", { exact: true })).toHaveValue("open sesame");
  });
}

test("a rate-limited login shows the waiting time", async ({ page, expectedErrors }) => {
  expectedErrors.push(/status of 503/);
  // Enough parallel requests for load shedding would make the test slow and unreliable.
  const busy = {
    type: "about:blank",
    title: "Busy",
    status: 503,
    detail: "Busy.",
    instance: "1",
    code: "busy",
  };
  await page.route("**/api/v1/auth/login", (route) =>
    route.fulfill({
      status: 503,
      contentType: "application/problem+json",
      headers: { "Retry-After": "7" },
      body: JSON.stringify({ ...busy, success: false, error: "Busy." }),
    }),
  );
  await page.goto("/login");
  await fillLogin(page, "asha@example.in", "open sesame");
  await login(page).click();
  const modal = page.getByRole("dialog", { name: "Server Error" });
  await expect(modal).toContainText("Please try after some time!!!");
  await expect(modal).toContainText("You can try again in 7 seconds.");
});

test("[5X-07] the registration reports missing fields and different passwords", async ({ page }) => {
  await page.goto("/signup");
  await signup(page).click();
  await expect(page.getByRole("alert")).toBeFocused();
  await expect(page.getByRole("alert").getByRole("link")).toHaveText([
    "Enter your full name.",
    "Enter your email.",
    "Enter your phone number.",
    "Choose a password.",
    "Type the password again.",
  ]);
  await expectAccessible(page);

  await fillSignup(page, { name: "Asha", email: "asha", phone: "+91 98450-1234", password: "short" });
  await expect(page.getByLabel("Phone Number")).toHaveValue("91984501234");
  await page.getByLabel("Confirm Password").fill("shorter");
  await signup(page).click();
  await expect(page.getByLabel("Email")).toHaveAccessibleDescription("Enter an email like asha@example.in.");
  await expect(page.getByLabel("Confirm Password")).toHaveAccessibleDescription(
    "The passwords do not match.",
  );
  await page.getByLabel("Phone Number").fill("+91 98450-12345");
  await expect(page.getByLabel("Phone Number")).toHaveValue("9845012345");
});

for (const taken of ["email", "phone"] as const) {
  test(`[8E-15] [7A-02] a ${taken} in use is rejected with the message of the server at its field`, async ({
    page,
    account,
    baseURL,
    expectedErrors,
  }, { workerIndex }) => {
    expectedErrors.push(/status of 409/);
    if (taken === "phone") await verifyPhone(baseURL, account);
    await page.goto("/signup");
    await fillSignup(page, { ...newPerson(workerIndex), [taken]: account[taken] });
    const responsePromise = page.waitForResponse("**/api/v1/auth/register");
    await signup(page).click();
    const { error, success, code } = await (await responsePromise).json();
    expect({ success, code }).toEqual({ success: false, code: `${taken}_taken` });

    const modal = page.getByRole("dialog", { name: error });
    await expect(modal).toContainText("Please add valid credentials!!!");
    await modal.getByRole("button", { name: "Cancel" }).click();
    await expect(page.getByRole("alert")).toBeFocused();
    const field = page.getByLabel(taken === "email" ? "Email" : "Phone Number");
    await expect(field).toHaveAccessibleDescription(new RegExp(`${error.replaceAll(".", "\\.")}$`));
    await expect(page.getByLabel("Full Name")).toHaveValue("Asha Rao");
  });
}

deskTest(
  "[2X-02] [9X-01] [W2] the page of a logout stays for 1000 ms, no longer and no shorter",
  async ({ page }) => {
    await page.clock.install();
    await page.goto("/");
    await expect(page.getByRole("link", { name: "Logout" })).toBeVisible();
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.getByRole("link", { name: "Logout" }).click();
    await expect(page.getByRole("heading", { name: "Logging out..." })).toBeVisible();
    await page.clock.runFor(999);
    await expect(page).toHaveURL("/logout");
    await page.clock.runFor(1);
    await expect(page).toHaveURL("/");
  },
);

deskTest(
  "[2X-01] [2X-02] [4G-03] [4G-04] [4G-05] [9X-01] [2N-04] [2N-05] [7A-05] a logout ends the session in this tab, in other tabs and on the server",
  async ({ page, context, account, request }) => {
    await page.goto("/");
    const other = await context.newPage();
    await other.goto("/");
    await expect(other.getByRole("link", { name: "Logout" })).toBeVisible();

    const responsePromise = page.waitForResponse("**/api/v1/auth/logout");
    const since = Date.now();
    await page.getByRole("link", { name: "Logout" }).click();
    await expect(page.getByRole("heading", { name: "Logging out..." })).toBeVisible();
    expect((await responsePromise).status()).toBe(204);
    await expect(page).toHaveURL("/");
    // The page stays for a second, measured from before the click, because a slow machine sees it late.
    expect(Date.now() - since).toBeGreaterThanOrEqual(1_000);
    for (const tab of [page, other]) {
      await expect(tab.getByRole("link", { name: "Login/Signup" })).toBeVisible();
      expect(await tokenIn(tab)).toBeNull();
    }
    const refused = () =>
      request
        .get("/api/v1/trades/client", { headers: bearer(account.token) })
        .then((reply) => reply.status());
    await expect.poll(refused, { timeout: 5_000 }).toBe(401);
    // The cookie was deleted too.
    expect((await page.request.post("/api/v1/auth/refresh")).status()).toBe(401);
  },
);

test("[3U-02] without a login the user is Trader", async ({ page, request }) => {
  // The prerendered page, before the session is read.
  expect(await (await request.get("/dashboard")).text()).toContain("Trader, account");
  await page.goto("/");
  await expect(page.getByRole("link", { name: "Login/Signup" })).toBeVisible();
});

test("the registration shows the privacy notice and sends its version", async ({ page }, { workerIndex }) => {
  await page.goto("/signup");
  const notice = page.getByRole("region", { name: "What happens to your data" });
  for (const item of ["What we keep", "Why", "How long", "Your rights", "Complaints"])
    await expect(notice.getByText(item, { exact: true })).toBeVisible();
  await fillSignup(page, newPerson(workerIndex));
  const sent = page.waitForRequest("**/api/v1/auth/register");
  await signup(page).click();
  expect((await sent).postDataJSON()).toMatchObject({
    noticeVersion: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
  });
  await expect(page).toHaveURL("/successreg");
  await expect(page.getByText(/a link to confirm your address/)).toBeVisible();
});

deskTest("a logout while offline ends the session in this browser", async ({ page, expectedErrors }) => {
  expectedErrors.push(/ERR_FAILED/);
  await page.goto("/");
  await page.route("**/api/**", (route) => route.abort());
  await page.getByRole("link", { name: "Logout" }).click();
  await expect(page).toHaveURL("/");
  await expect(page.getByRole("link", { name: "Login/Signup" })).toBeVisible();
  expect(await tokenIn(page)).toBeNull();
});

test("[3U-01] [3U-03] [6A-01] [6A-02] a login stores the token with the name of the trader, and a reload keeps it", async ({
  page,
  account,
}) => {
  await page.goto("/login");
  expect(await tokenIn(page)).toBeNull();
  await fillLogin(page, account.email, account.password);
  await login(page).click();
  await expect(page).toHaveURL(/\/dashboard/);
  await expect(page.getByRole("button", { name: /Asha Rao/ })).toBeVisible();
  const token = await tokenIn(page);
  const claims = JSON.parse(Buffer.from(token?.split(".")[1] ?? "", "base64url").toString());
  expect(claims).toMatchObject({ name: account.name, email: account.email });
  // Identity claims only, no permissions.
  const allowedClaims = [
    "aud",
    "email",
    "email_verified",
    "exp",
    "iat",
    "iss",
    "jti",
    "name",
    "nbf",
    "sid",
    "sub",
  ];
  expect(Object.keys(claims).sort()).toEqual(allowedClaims);
  await page.reload();
  await expect(page.getByRole("button", { name: /Asha Rao/ })).toBeVisible();
});

deskTest(
  "[2B-04] an expired stored token is renewed silently, once for two tabs",
  async ({ page, context, account }) => {
    let renewals = 0;
    context.on("request", (request) => {
      if (request.url().endsWith("/auth/refresh")) renewals += 1;
    });
    await page.goto("/");
    const [head, claims = "", signature] = account.token.split(".");
    const ended = { ...JSON.parse(Buffer.from(claims, "base64url").toString()), exp: 1 };
    const stale = [head, Buffer.from(JSON.stringify(ended)).toString("base64url"), signature].join(".");
    await page.evaluate((token) => localStorage.setItem("token", token), stale);
    const other = await context.newPage();
    await Promise.all([page.goto("/dashboard"), other.goto("/dashboard")]);
    for (const tab of [page, other]) {
      await expect(tab.getByRole("heading", { level: 1, name: "Add Trades" })).toBeVisible();
      await expect.poll(() => tokenIn(tab)).not.toBe(stale);
    }
    expect(await tokenIn(other)).toBe(await tokenIn(page));
    expect(renewals).toBe(1);
  },
);

deskTest(
  "a token that the server rejects is renewed, and the request is repeated",
  async ({ page, account, expectedErrors }) => {
    expectedErrors.push(/status of 401/);
    await page.goto("/");
    // An invalid signature: not expired by its claims, but rejected by the server.
    const [head, claims] = account.token.split(".");
    const refused = `${head}.${claims}.${"A".repeat(86)}`;
    await page.evaluate((token) => localStorage.setItem("token", token), refused);
    await page.goto("/dashboard?panel=1");
    await expect(page.getByRole("heading", { name: "TradeLog is Empty" })).toBeVisible();
    expect(await tokenIn(page)).not.toBe(refused);
  },
);

deskTest(
  "a session that ended on the server ends in the browser",
  async ({ page, context, expectedErrors }) => {
    expectedErrors.push(/status of 401/);
    await context.clearCookies();
    await context.clock.setFixedTime(Date.now() + 11 * 60_000);
    await page.goto("/dashboard");
    await expect(page.getByRole("heading", { name: "Access Denied" })).toBeVisible();
    expect(await tokenIn(page)).toBeNull();
  },
);

test("[5X-09] [8E-17] a token without a user is logged and ignored", async ({ page, expectedErrors }) => {
  expectedErrors.push(/Ignored a token without/);
  await page.goto("/login");
  await page.evaluate(() => localStorage.setItem("token", "junk"));
  const logged = page.waitForEvent("console", (message) => /Ignored a token without/.test(message.text()));
  await page.goto("/");
  await logged;
  await expect(page.getByRole("link", { name: "Login/Signup" })).toBeVisible();
});

test("[7T-01] [7T-02] [7T-03] [7X-01] the client record is accessible to its owner only, under both base paths", async ({
  account,
  request,
}) => {
  const ask = (path: string, headers = {}) => request.get(path, { headers });
  for (const base of ["/api/v1", ""]) {
    const own = await ask(`${base}/trades/client?email=${account.email}`, bearer(account.token));
    expect(await own.json()).toMatchObject({
      name: account.name,
      email: account.email,
      phoneNumber: account.phone,
      clientId: expect.stringMatching(/^TB-[0-9A-Z]{6}$/),
      tradetype: null,
      trades: [],
    });
    const foreign = await ask(`${base}/trades/client?email=other@example.in`, bearer(account.token));
    expect(foreign.status()).toBe(403);
    expect((await ask(`${base}/trades/client`)).status()).toBe(401);
  }
});
