import type { Page } from "@playwright/test";
import { importFile } from "./accounts.ts";
import { deskTest, expect, expectAccessible, test } from "./test-fixtures.ts";
import { tradeTable } from "./trade-table.ts";
import { ROWS, tradebookPath } from "./tradebooks.ts";

const ORIGIN = "https://tradebahi.example";

/** Every prerendered page, as shown without a session. */
const PAGES = [
  {
    path: "/",
    title: "TradeBahi: the trading journal for India",
    heading: "Every trade, on the record.",
    canonical: `${ORIGIN}/`,
  },
  {
    path: "/about-us",
    title: "About Us · TradeBahi",
    heading: "It began with nine evenings and a tax return.",
    canonical: `${ORIGIN}/about-us`,
  },
  {
    path: "/terms-and-conditions",
    title: "Terms and Conditions · TradeBahi",
    heading: "Terms and Conditions",
    canonical: `${ORIGIN}/terms-and-conditions`,
  },
  { path: "/coming-soon", title: "Coming Soon · TradeBahi", heading: "Coming Soon" },
  { path: "/success", title: "Success · TradeBahi", heading: "Success" },
  {
    path: "/careers",
    title: "Careers · TradeBahi",
    heading: "Write the book that traders open every day.",
    canonical: `${ORIGIN}/careers`,
  },
  {
    path: "/job-description/FE101",
    title: "Frontend Intern · TradeBahi",
    heading: "Frontend Intern",
    canonical: `${ORIGIN}/job-description/FE101`,
  },
  {
    path: "/job-description/AI101",
    title: "Artificial Intelligence Intern · TradeBahi",
    heading: "Artificial Intelligence Intern",
    canonical: `${ORIGIN}/job-description/AI101`,
  },
  {
    path: "/apply/FE101",
    title: "Apply for Frontend Intern · TradeBahi",
    heading: "Apply for Frontend Intern",
  },
  { path: "/application", title: "Your application · TradeBahi", heading: "Open the link in our email" },
  { path: "/shared-tax-pack", title: "Shared tax pack · TradeBahi", heading: "This link is incomplete" },
  { path: "/login", title: "Login · TradeBahi", heading: "Login" },
  { path: "/signup", title: "Sign up · TradeBahi", heading: "Sign up" },
  { path: "/successreg", title: "Registration Successful! · TradeBahi", heading: "Registration Successful!" },
  { path: "/logout", title: "Logging out · TradeBahi", heading: "Logging out..." },
  { path: "/forgot-password", title: "Forgot password · TradeBahi", heading: "Forgot password" },
  { path: "/reset-password", title: "New password · TradeBahi", heading: "This link is no longer valid" },
  {
    path: "/confirm-email",
    title: "Confirm your email · TradeBahi",
    heading: "This link is no longer valid",
  },
  { path: "/analytics", title: "Analytics · TradeBahi", heading: "Access Denied" },
  { path: "/analytics/fix", title: "Data issues · TradeBahi", heading: "Access Denied" },
  { path: "/analytics/trades", title: "Trades · TradeBahi", heading: "Access Denied" },
  { path: "/analytics/breakdown", title: "Breakdown · TradeBahi", heading: "Access Denied" },
  { path: "/analytics/charges", title: "Charges · TradeBahi", heading: "Access Denied" },
  { path: "/analytics/tax", title: "Tax · TradeBahi", heading: "Access Denied" },
  { path: `/analytics/positions/${"0".repeat(20)}`, title: "Position · TradeBahi", heading: "Access Denied" },
  { path: "/analytics/strategies", title: "Strategies · TradeBahi", heading: "Access Denied" },
  {
    path: `/analytics/strategies/${"0".repeat(20)}`,
    title: "Strategies · TradeBahi",
    heading: "Access Denied",
  },
  {
    path: "/analytics/unknown",
    title: "Page Not Found · TradeBahi",
    heading: "Page Not Found",
    status: 404,
  },
  { path: "/dashboard", title: "Dashboard · TradeBahi", heading: "Access Denied" },
  { path: "/add-new-trades", title: "Add a trade · TradeBahi", heading: "Access Denied" },
  { path: "/test", title: "Excel Upload Test · TradeBahi", heading: "Excel Upload Test" },
  { path: "/api/docs", title: "API · TradeBahi", heading: "API" },
  { path: "/account", title: "Account · TradeBahi", heading: "Access Denied" },
  { path: "/no/such/page", title: "Page Not Found · TradeBahi", heading: "Page Not Found", status: 404 },
] as const;

/** Some paths are also API operations for other clients. */
const AS_BROWSER = { headers: { Accept: "text/html" } };

const LOOKS = [
  { name: "in light", media: { colorScheme: "light", reducedMotion: "no-preference" } },
  { name: "in dark without motion", media: { colorScheme: "dark", reducedMotion: "reduce" } },
] as const;

/** Checks accessibility, a single h1, and no sideways scrolling at 320 px. */
async function expectSound(page: Page) {
  await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
  await expectAccessible(page);
  await page.setViewportSize({ width: 320, height: 640 });
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  await expectAccessible(page);
}

/** The logout page redirects after a second, too soon for the checks. */
function stayThere(page: Page) {
  return page.addInitScript(() => {
    const later = window.setTimeout.bind(window);
    Object.assign(window, {
      setTimeout: (run: () => void, wait?: number) => later(run, wait === 1_000 ? 60_000 : wait),
    });
  });
}

for (const { path, title, heading, ...page } of PAGES) {
  const status = "status" in page ? page.status : 200;
  const canonical = "canonical" in page ? page.canonical : undefined;

  test(`${path} has title and content without JavaScript`, async ({ request }) => {
    const reply = await request.get(path, AS_BROWSER);
    expect(reply.status()).toBe(status);
    const html = await reply.text();
    expect(html).toContain(`<title>${title}</title>`);
    expect(html).toContain('<html lang="en-IN"');
    expect(html.includes('name="robots" content="noindex"')).toBe(!canonical);
    expect(html.includes(`rel="canonical" href="${canonical}"`)).toBe(Boolean(canonical));
    if (canonical) expect(html).toMatch(/name="description" content="[^"]{50,155}"/);
    expect(html.match(/<h1[^>]*>/g)).toHaveLength(1);
    expect(html).not.toMatch(/\sstyle="/);
  });

  test(`${path} references only existing files`, async ({ request }) => {
    const html = await (await request.get(path, AS_BROWSER)).text();
    const named = html.matchAll(/\s(?:href|src)="(\/[^"]*)"/g);
    const addresses = new Set(Array.from(named, ([, address = ""]) => address));
    expect(addresses).toContain("/favicon.svg");
    for (const address of addresses)
      expect((await request.get(address, AS_BROWSER)).status(), address).toBe(200);
  });

  test(`${path} gives the same response with a trailing slash and has security headers`, async ({
    request,
  }) => {
    const reply = await request.get(path, AS_BROWSER);
    if (path !== "/") {
      const slashed = await request.get(`${path}/`, AS_BROWSER);
      expect(slashed.status()).toBe(status);
      expect(slashed.url().endsWith("/")).toBe(true);
      expect(await slashed.text()).toBe(await reply.text());
    }
    const headers = reply.headers();
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "strict-transport-security": expect.stringContaining("max-age="),
    });
    const policy = headers["content-security-policy"] ?? "";
    for (const rule of [
      "default-src 'none'",
      "object-src 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ])
      expect(policy).toContain(rule);
    expect(policy).not.toMatch(/unsafe|\*/);
  });

  for (const look of LOOKS) {
    test(`${path} is accessible ${look.name}, and fits 320 px`, async ({ page, expectedErrors }) => {
      if (status === 404) expectedErrors.push(/status of 404/);
      await page.emulateMedia(look.media);
      if (path === "/logout") await stayThere(page);
      await page.goto(path);
      await expect(page.getByRole("heading", { level: 1, name: heading })).toBeVisible();
      await expectSound(page);
    });
  }
}

test("the example on the home page is never cut off", async ({ page }) => {
  await page.goto("/");
  const table = page.getByRole("region", { name: "Trade Log" }).getByRole("table");
  for (const width of [320, 480, 640, 768, 900, 1024, 1152, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    const over = () => table.evaluate((node) => node.scrollWidth - (node.parentElement?.clientWidth ?? 0));
    await expect.poll(over, `${width} px wide`).toBeLessThanOrEqual(0);
  }
});

for (const look of LOOKS) {
  deskTest(`the desk is accessible ${look.name}, and fits 320 px`, async ({ page, account }) => {
    await page.emulateMedia(look.media);
    await page.goto("/dashboard?panel=1");
    await expect(page.getByRole("heading", { name: "TradeLog is Empty" })).toBeVisible();
    await expectSound(page);

    await page.setViewportSize({ width: 1280, height: 720 });
    await page.goto("/dashboard?panel=0");
    await expect(page.getByRole("button", { name: "Submit Trades" })).toBeVisible();
    await expectSound(page);

    await importFile(account, tradebookPath("zerodha", ROWS.few), "zerodha");
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.goto("/dashboard?panel=1");
    await expect(tradeTable(page)).toBeVisible();
    await expectSound(page);
  });
}

test("[2D-01] [2D-07] [2D-08] [2D-09] [2D-10] [6A-05] without a login Access Denied is shown with a link to the login", async ({
  page,
}) => {
  await page.goto("/dashboard");
  await expect(page.getByRole("heading", { level: 1, name: "Access Denied", exact: true })).toBeVisible();
  await expect(page.getByText("You are not logged in!", { exact: true })).toBeVisible();
  const why = "Please log in to access this page and view your dashboard.";
  await expect(page.getByText(why, { exact: true })).toBeVisible();
  await page.getByRole("link", { name: "Go to Login", exact: true }).click();
  await expect(page).toHaveURL("/login");
});

test("[2S-04] [8E-21] an unknown URL shows the 404 page with a link to the home page", async ({
  page,
  expectedErrors,
}) => {
  expectedErrors.push(/status of 404/);
  for (const path of ["/nothing", "/nothing/"]) {
    const reply = await page.goto(path);
    expect(reply?.status()).toBe(404);
    await expect(page).toHaveTitle("Page Not Found · TradeBahi");
    await expect(page.getByText("404", { exact: true })).toBeVisible();
    await expect(page.getByRole("heading", { level: 1, name: "Page Not Found" })).toBeVisible();
  }
  await page.getByRole("link", { name: "Go to Home" }).click();
  await expect(page).toHaveURL("/");
  await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
});

test("[1M-02] [2L-01] [2F-02] [2F-03] [2F-04] [2F-05] the home page has its badge and the footer its texts", async ({
  page,
}) => {
  await page.goto("/");
  await expect(page.getByText("Now in Beta", { exact: true })).toBeVisible();
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  const footer = page.getByRole("contentinfo");
  await expect(footer.getByRole("link", { name: /@/ })).toHaveAttribute("href", /^mailto:/);
  await expect(footer.getByRole("link", { name: /^\+91/ })).toHaveAttribute("href", /^tel:\+91\d{10}$/);
  await expect(footer.locator("address")).toContainText(/\b\d{3} ?\d{3}\b/);
  await expect(footer.getByText(/©.*2024/)).toBeVisible();
  const note = footer.getByText(/Tradebhai, Trade Bahi, Tradbahi, Trade Bhai or Tradebahee/);
  await expect(note).toBeVisible();
  await expect(note).toHaveAttribute("aria-hidden", "true");
});

test("[2B-05] a navigation scrolls to the top and focuses the heading", async ({ page }) => {
  await page.setViewportSize({ width: 400, height: 400 });
  await page.goto("/");
  await page.getByRole("contentinfo").scrollIntoViewIfNeeded();
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  await page.getByRole("link", { name: "Login/Signup" }).evaluate((link: HTMLElement) => link.click());
  await expect(page.getByRole("heading", { level: 1, name: "Login" })).toBeFocused();
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
});

test("a chosen theme is stored and applied without a flash", async ({ page, expectedErrors }) => {
  expectedErrors.push(/ERR_FAILED/);
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto("/");
  await page.getByText("Dark", { exact: true }).click();
  // Before any module of the app has run.
  await page.route("**/*.js", (route) => route.abort());
  await page.goto("/login", { waitUntil: "commit" });
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
});

test("[2N-03] [W1] on a phone the navigation is hidden until the button is pressed", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 640 });
  await page.goto("/");
  const menu = page.getByRole("button", { name: "Menu" });
  const home = page.getByRole("link", { name: "Home", exact: true });
  await expect(home).toBeHidden();
  await menu.click();
  await expect(home).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(home).toBeHidden();
});

test("scripts and styles are cached for a year and served precompressed", async ({ page, request }) => {
  await page.goto("/");
  const script = await page.locator("link[rel=modulepreload]").first().getAttribute("href");
  const reply = await request.get(script ?? "", { headers: { "Accept-Encoding": "br" } });
  expect(reply.headers()).toMatchObject({
    "cache-control": expect.stringMatching(/max-age=31536000.*immutable/),
    "content-encoding": "br",
  });
});
