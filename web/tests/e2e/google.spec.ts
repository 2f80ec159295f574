import type { APIRequestContext, Page, Request } from "@playwright/test";
import { bearer, getClient, newPerson, type Person } from "./accounts.ts";
import { CLIENT_ID } from "./fake-google.ts";
import { expect, expectAccessible, test } from "./test-fixtures.ts";

const BEGIN = "/api/v1/auth/google";
const WAY_BACK = "/api/v1/auth/google/callback";

const button = (page: Page) => page.getByRole("button", { name: "Continue with Google", exact: true });
const logout = (page: Page) => page.getByRole("link", { name: "Logout" });
const loggedOut = (page: Page) => page.getByRole("link", { name: "Login/Signup" });
const tokenIn = (page: Page) => page.evaluate(() => localStorage.getItem("token"));
const question = (page: Page, { name, email }: Person) =>
  page.getByRole("dialog", { name: `Continue as ${name} (${email})?`, exact: true });
const connect = (page: Page) => page.getByRole("button", { name: "Connect Google" });
const password = (page: Page) => page.getByLabel("Password", { exact: true });

const CONNECT =
  "You already have an account with this email address. Enter its password once to connect Google.";

/** Goes from the login page to Google; returns the parameters of the authorization request. */
async function goToGoogle(page: Page): Promise<URLSearchParams> {
  await page.goto("/login");
  await button(page).click();
  await page.waitForURL(`${process.env.E2E_GOOGLE}/authorize?**`);
  return new URL(page.url()).searchParams;
}

async function choose(page: Page, { name, email }: Person): Promise<void> {
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Email", { exact: true }).fill(email);
}

const agree = (page: Page) => page.getByRole("button", { name: "Agree" }).click();

/** Logs in with a Google account that has an account here. */
async function logIn(page: Page, person: Person): Promise<void> {
  await goToGoogle(page);
  await choose(page, person);
  await agree(page);
  await expect(logout(page)).toBeVisible();
}

const create = (page: Page) => page.getByRole("button", { name: "Create account" });

/** Logs in with Google for the first time, accepts the privacy notice, and logs out again. */
async function register(page: Page, person: Person): Promise<void> {
  await goToGoogle(page);
  await choose(page, person);
  await agree(page);
  await create(page).click();
  await expect(page).toHaveURL(/\/dashboard/);
  await page.goto("/");
  await logOut(page);
}

async function logOut(page: Page): Promise<void> {
  await logout(page).click();
  await expect(loggedOut(page)).toBeVisible();
  expect(await tokenIn(page)).toBeNull();
}

/** Returns the client id of the logged-in user. */
async function clientIn(page: Page): Promise<string> {
  return (await getClient(page.request, (await tokenIn(page)) ?? "")).clientId;
}

/** A callback URL of a login that this browser did not start. */
async function loginLink(request: APIRequestContext, { name, email }: Person): Promise<string> {
  const step = async (answer: ReturnType<APIRequestContext["get"]>) => {
    expect((await answer).status()).toBe(303);
    return (await answer).headers().location ?? "";
  };
  const google = await step(request.get(BEGIN, { maxRedirects: 0 }));
  const form = { name, email, verified: "on", answer: "yes" };
  const back = await step(request.post(google, { form, maxRedirects: 0 }));
  return step(request.get(back, { maxRedirects: 0 }));
}

test("[2G-02] without a Google configuration the button shows a message", async ({ page }) => {
  await page.route("**/api/v1/auth/options", (route) => route.fulfill({ json: { google: false } }));
  await page.goto("/login");
  await button(page).click();
  await expect(
    page.getByText("Login with Google is not set up on this server.", { exact: true }),
  ).toBeVisible();
  await expect(page).toHaveURL("/login");
  await expectAccessible(page);
});

test("[7A-06] [7A-07] the authorization request has client id, scope, callback URL and its own state and PKCE challenge", async ({
  page,
  baseURL,
}) => {
  const parameters = await goToGoogle(page);
  expect(Object.fromEntries(parameters)).toMatchObject({
    response_type: "code",
    client_id: CLIENT_ID,
    redirect_uri: `${baseURL}${WAY_BACK}`,
    scope: "openid profile email",
    code_challenge_method: "S256",
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
  });
  const again = await goToGoogle(page);
  for (const name of ["state", "nonce", "code_challenge"]) {
    expect(parameters.get(name)).toMatch(/^[\w-]{43}$/);
    expect(again.get(name)).not.toBe(parameters.get(name));
  }
});

test("[7A-06] [2B-01] the callback from Google logs in, to the same account every time", async ({ page }, {
  workerIndex,
}) => {
  const asha = newPerson(workerIndex);
  await register(page, asha);
  await goToGoogle(page);
  const requests: { request: Request; from: string }[] = [];
  page.on("request", (request) => requests.push({ request, from: page.url() }));
  await choose(page, asha);
  await agree(page);
  await expect(logout(page)).toBeVisible();
  await expect(page.getByText(`You are logged in as ${asha.name}.`)).toBeVisible();
  await expect(page).toHaveURL("/");

  const came = requests.findIndex(({ request }) => /\/\?token=[\w.-]+$/.test(request.url()));
  expect(came).toBeGreaterThan(0);
  const after = requests.slice(came + 1);
  const apiCalls = after.filter(({ request }) => request.url().includes("/api/"));
  expect(apiCalls.map(({ request }) => new URL(request.url()).pathname)).toContain("/api/v1/auth/exchange");
  for (const { request, from } of apiCalls) expect(request.url() + from).not.toContain("token=");
  for (const { request } of after) expect((await request.allHeaders()).referer ?? "").not.toContain("token=");

  await page.goto("/dashboard");
  await expect(page.getByRole("button", { name: new RegExp(asha.name) })).toBeVisible();
  const client = await clientIn(page);
  expect(client).toMatch(/^TB-/);

  await page.goto("/");
  await logOut(page);
  await logIn(page, asha);
  expect(await clientIn(page)).toBe(client);
});

test("[S13] the first login with Google shows the privacy notice, and only then creates the account", async ({
  page,
  expectedErrors,
}, { workerIndex }) => {
  expectedErrors.push(/status of 422/);
  const asha = newPerson(workerIndex);
  await goToGoogle(page);
  await choose(page, asha);
  await agree(page);
  await expect(page).toHaveURL("/login?google=register");
  await expect(page.getByRole("heading", { name: "What happens to your data" })).toBeVisible();
  await expect(page.getByText("Data Protection Board of India")).toBeVisible();
  await expect(page.getByLabel("Email or Phone")).toBeHidden();
  await expectAccessible(page);
  expect(await tokenIn(page)).toBeNull();

  // A person who leaves the page has no account: the next login asks again.
  await page.getByRole("link", { name: "Cancel" }).click();
  await expect(page).toHaveURL("/login");
  await goToGoogle(page);
  await choose(page, asha);
  await agree(page);
  await expect(page).toHaveURL("/login?google=register");
  // The server requires the version of the notice.
  const reply = page.waitForResponse("**/api/v1/auth/google/register");
  await create(page).click();
  expect((await reply).status()).toBe(200);
  await expect(page).toHaveURL(/\/dashboard/);
  await expect(page.getByRole("button", { name: new RegExp(asha.name) })).toBeVisible();

  // The ticket works once.
  await page.goto("/");
  await logOut(page);
  await page.goto("/login?google=register");
  await create(page).click();
  await expect(page.getByText("This took too long. Continue with Google again.")).toBeVisible();
  await expectAccessible(page);
  expect(await tokenIn(page)).toBeNull();
});

test("an account with the same email is linked to Google with its password, once", async ({
  page,
  account,
  expectedErrors,
}) => {
  expectedErrors.push(/status of 401/);
  await goToGoogle(page);
  await choose(page, account);
  await agree(page);
  await expect(page).toHaveURL("/login?google=link");
  await expect(page.getByText(CONNECT)).toBeVisible();
  await expect(page.getByLabel("Email or Phone")).toBeHidden();
  await expectAccessible(page);
  await connect(page).click();
  await expect(page.getByRole("alert").filter({ hasText: "Enter your password." })).toBeFocused();
  await password(page).fill("another one");
  await connect(page).click();
  await expect(page.getByText("That is not the password of this account.")).toBeVisible();
  expect(await tokenIn(page)).toBeNull();
  await password(page).fill(account.password);
  await connect(page).click();
  await expect(page).toHaveURL(/\/dashboard/);
  const { clientId } = await getClient(account.request, account.token);
  expect(await clientIn(page)).toBe(clientId);

  await page.goto("/");
  await logOut(page);
  await logIn(page, account);
  await expect(page).toHaveURL("/");
  expect(await clientIn(page)).toBe(clientId);
});

test.describe("a failed login with Google is explained and starts no session:", () => {
  test.afterEach(async ({ page }) => {
    await expect(page.getByLabel("Email or Phone")).toBeVisible();
    expect(await tokenIn(page)).toBeNull();
    await expectAccessible(page);
  });

  const explained = (page: Page, code: string, message: RegExp) =>
    Promise.all([
      expect(page).toHaveURL(`/login?google=${code}`),
      expect(page.getByRole("alert").filter({ hasText: message })).toBeVisible(),
    ]);

  test("cancelled", async ({ page }) => {
    await goToGoogle(page);
    await page.getByRole("button", { name: "Cancel" }).click();
    await explained(page, "cancelled", /cancelled the login with Google/);
  });

  test("an email that Google has not verified", async ({ page }, { workerIndex }) => {
    await goToGoogle(page);
    await choose(page, newPerson(workerIndex));
    await page.getByLabel("The email is verified").uncheck();
    await agree(page);
    await explained(page, "unverified", /not verified/);
  });

  test("a code that Google did not issue", async ({ page }) => {
    const parameters = await goToGoogle(page);
    await page.goto(`${WAY_BACK}?code=guessed&state=${parameters.get("state")}`);
    await explained(page, "rejected", /did not confirm/);
  });

  test("a callback of a login that another browser started, which ends the own attempt", async ({ page }) => {
    const parameters = await goToGoogle(page);
    for (const state of ["x".repeat(43), parameters.get("state")]) {
      await page.goto(`${WAY_BACK}?code=guessed&state=${state}`);
      await explained(page, "expired", /started in another browser/);
    }
  });

  test("a closed account", async ({ page, account: { request, token, ...person } }) => {
    const data = { password: person.password };
    const closed = await request.post("/api/v1/account/close", { data, headers: bearer(token) });
    expect(closed.ok()).toBe(true);
    await goToGoogle(page);
    await choose(page, person);
    await agree(page);
    await explained(page, "closed", /account is closed/);
  });

  for (const [code, message] of [
    ["unreachable", /could not be reached/],
    ["something-new", /did not confirm/],
  ] as const) {
    test(code, async ({ page }) => {
      await page.goto(`/login?google=${code}`);
      await explained(page, code, message);
    });
  }
});

test("[2B-02] a login that another browser started must be confirmed and works once", async ({
  page,
  playwright,
  baseURL,
  expectedErrors,
}, { workerIndex }) => {
  expectedErrors.push(/status of 4\d\d/, /Ignored the token/);
  const elsewhere = await playwright.request.newContext({ baseURL: baseURL ?? "" });
  const asha = newPerson(workerIndex);
  await register(page, asha);
  const link = await loginLink(elsewhere, asha);
  await elsewhere.dispose();

  await page.goto(link);
  await expect(question(page, asha)).toBeVisible();
  await expect(page).toHaveURL("/");
  await expectAccessible(page);
  await question(page, asha).getByRole("button", { name: "Cancel" }).click();
  await expect(question(page, asha)).toBeHidden();
  await expect(loggedOut(page)).toBeVisible();
  expect(await tokenIn(page)).toBeNull();

  await page.goto(link);
  await question(page, asha).getByRole("button", { name: "Continue" }).click();
  await expect(logout(page)).toBeVisible();
  await expect(page).toHaveURL("/");
  await logOut(page);

  await page.goto(link);
  await expect(page.getByText("That login link did not work.")).toBeVisible();
  await expect(question(page, asha)).toBeHidden();
  await expect(loggedOut(page)).toBeVisible();
  expect(await tokenIn(page)).toBeNull();
});
