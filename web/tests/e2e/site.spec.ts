import type { Page } from "@playwright/test";
import { deskTest, expect, holdRequests, test } from "./test-fixtures.ts";

const FEATURES = [
  "Real-time analytics",
  "AI-powered insights",
  "Auto-sync with brokers",
  "Strategy backtesting",
  "Community forum",
  "Performance by day and time",
  "Risk management tools",
  "Trading psychology",
];

const PERKS = [
  "Innovative Tech Stack",
  "Rapid Growth",
  "Great Culture",
  "Learning Opportunities",
  "Global Impact",
  "Career Growth",
  "Mentorship",
  "Data-Driven",
];

test("[2L-01] [2L-03] [9S-02] the home page has its texts and a link to the dashboard", async ({ page }) => {
  await page.goto("/");
  await expect(page.getByText("Now in Beta", { exact: true })).toBeVisible();
  await expect(page.getByRole("heading", { level: 1, name: "Every trade, on the record." })).toBeVisible();
  await expect(page.getByText("4.8 out of 5")).toBeVisible();
  await expect(page.getByText("1,245 ratings")).toBeVisible();
  await page.getByRole("link", { name: "Go to Dashboard", exact: true }).click();
  await expect(page).toHaveURL("/dashboard");
});

test("[1M-01] [2S-01] [2S-02] [9C-03] each of the eight features leads to Coming Soon", async ({ page }) => {
  await page.goto("/");
  const cards = page.getByRole("region", { name: "What your journal will tell you" }).getByRole("listitem");
  await expect(cards.getByRole("heading", { level: 3 })).toHaveText(FEATURES);
  for (const name of FEATURES) {
    await expect(cards.getByRole("link", { name, exact: true })).toHaveAttribute("href", "/coming-soon");
  }
  // The whole card is the link, not only its title.
  await cards.last().click({ position: { x: 8, y: 8 } });
  await expect(page).toHaveURL("/coming-soon");
  await expect(page.getByRole("heading", { level: 1, name: "Coming Soon", exact: true })).toBeVisible();
  await page.getByRole("link", { name: "Go to Home", exact: true }).click();
  await expect(page).toHaveURL("/");
});

/** The carousel with a clock that the test controls. */
async function rotation(page: Page) {
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.goto("/");
  const cards = page.getByRole("region", { name: "Product highlights" });
  await expect(cards.getByRole("listitem")).toHaveCount(1);
  const shown = async () => Number((await cards.getByText(/^\d of 5$/).textContent())?.charAt(0));
  return { cards, shown, wait: (time: number) => page.clock.runFor(time) };
}

test("[2L-02] [4F-01] [9C-05] five cards rotate every ten seconds", async ({ page }) => {
  const { cards, shown, wait } = await rotation(page);
  await expect(async () => {
    await wait(10_000);
    expect(await shown()).not.toBe(1);
  }).toPass();
  const titles = new Set<string>();
  for (let round = 0; round < 5; round += 1) {
    const before = await shown();
    titles.add((await cards.getByRole("heading").textContent()) ?? "");
    await wait(9_900);
    expect(await shown()).toBe(before);
    await wait(100);
    await expect.poll(shown).toBe((before % 5) + 1);
  }
  expect(titles.size).toBe(5);
});

test("[2L-02] the cards pause under the pointer and stop permanently after an interaction", async ({
  page,
}) => {
  const { cards, shown, wait } = await rotation(page);
  await expect(async () => {
    await wait(10_000);
    expect(await shown()).not.toBe(1);
  }).toPass();

  await cards.hover();
  const pausedCard = await shown();
  await wait(30_000);
  expect(await shown()).toBe(pausedCard);
  await page.mouse.move(2, 2);
  // They continue once the page has handled the pointer leaving.
  await expect(async () => {
    await wait(10_000);
    expect(await shown()).not.toBe(pausedCard);
  }).toPass();

  await cards.getByRole("button", { name: "Next card" }).click();
  const chosen = await shown();
  await page.getByRole("heading", { level: 1 }).focus();
  await page.mouse.move(2, 2);
  await wait(60_000);
  expect(await shown()).toBe(chosen);

  await cards.getByRole("button", { name: "Play" }).click();
  await expect(cards.getByRole("button", { name: "Pause" })).toBeVisible();
  await cards.getByRole("button", { name: "Previous card" }).click();
  await expect(cards.getByRole("button", { name: "Play" })).toBeVisible();
  expect(await shown()).toBe(chosen === 1 ? 5 : chosen - 1);
});

test("[2L-02] a tap on a card stops the cards permanently", async ({ browser, baseURL }) => {
  const context = await browser.newContext({ baseURL: baseURL ?? "", hasTouch: true, isMobile: true });
  const { cards, shown, wait } = await rotation(await context.newPage());
  await expect(async () => {
    await wait(10_000);
    expect(await shown()).not.toBe(1);
  }).toPass();
  await cards.getByRole("listitem").tap();
  const touched = await shown();
  await wait(60_000);
  expect(await shown()).toBe(touched);
  await expect(cards.getByRole("button", { name: "Play" })).toBeVisible();
  await context.close();
});

test("[2L-02] [1W-05] with reduced motion cards and perks do not move", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  const { cards, shown, wait } = await rotation(page);
  await expect(cards.getByRole("button", { name: "Play" })).toBeVisible();
  await wait(60_000);
  expect(await shown()).toBe(1);

  const why = page.getByRole("region", { name: "Why Join TradeBahi?" });
  const moving = () => why.evaluate((part) => part.getAnimations({ subtree: true }).length);
  expect(await moving()).toBe(0);
  await expect(why.getByRole("checkbox")).toHaveCount(0);
  for (const perk of PERKS) {
    const { x, width } = (await why.getByText(perk, { exact: true }).first().boundingBox()) ?? {
      x: -1,
      width: 0,
    };
    expect(x, perk).toBeGreaterThanOrEqual(0);
    expect(x + width, perk).toBeLessThanOrEqual(1280);
  }
});

test("[1W-01] [1W-02] [1W-03] [1W-04] [1W-05] [1W-06] [1W-07] [2L-04] [3P-01] [9C-02] [9C-06] Why Join shows a marquee and six cards", async ({
  page,
}) => {
  await page.goto("/");
  const why = page.getByRole("region", { name: "Why Join TradeBahi?" });
  await expect(why.getByText("JOIN OUR TEAM", { exact: true })).toBeVisible();
  await expect(
    why.getByRole("heading", { level: 2, name: "Why Join TradeBahi?", exact: true }),
  ).toBeVisible();
  await expect(why.getByText(/redefining trading with technology innovation.*brightest minds/)).toBeVisible();

  const perks = why.getByRole("list", { name: "Perks" }).getByRole("listitem");
  await expect(perks).toHaveCount(8);
  for (const [index, title] of PERKS.entries()) {
    await expect(perks.nth(index)).toHaveText(new RegExp(`^${title}\\S.{30,}`));
    await expect(perks.nth(index).locator("svg")).toHaveCount(1);
  }
  await expect(why.getByRole("heading", { level: 3 })).toHaveText(PERKS.slice(0, 6));

  const strip = () =>
    why.evaluate((part) =>
      part.getAnimations({ subtree: true }).map((motion) => ({
        state: motion.playState,
        ...(({ duration, iterations, easing }) => ({ duration, iterations, easing }))(
          motion.effect?.getComputedTiming() ?? {},
        ),
      })),
    );
  const motion = { duration: 45_000, iterations: Number.POSITIVE_INFINITY, easing: "linear" };
  await why.scrollIntoViewIfNeeded();
  await page.mouse.move(2, 2);
  await expect.poll(strip).toEqual([{ ...motion, state: "running" }]);
  await why.getByRole("checkbox", { name: "Pause the strip" }).check();
  await page.mouse.move(2, 2);
  await expect.poll(strip).toEqual([{ ...motion, state: "paused" }]);
  // The copy for the marquee is hidden from assistive technology.
  await expect(why.locator("ul[aria-hidden=true][inert]")).toHaveCount(1);
});

test("[1P-02] [1P-03] [1P-04] [2A-01] About Us shows two founders, four values and the story", async ({
  page,
}) => {
  await page.goto("/");
  await page
    .getByRole("navigation", { name: "Main" })
    .getByRole("link", { name: "About Us", exact: true })
    .click();
  await expect(page).toHaveURL("/about-us");
  await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
  await expect(page.getByRole("heading", { name: "Our story" })).toBeVisible();
  await expect(page.getByText(/bahi: the red cloth-bound book/)).toBeVisible();
  const values = page.getByRole("region", { name: "Our values" });
  await expect(values.getByRole("heading", { level: 3 })).toHaveText([
    "Innovation",
    "Customer Satisfaction",
    "Integrity",
    "Excellence",
  ]);
  const founders = page.getByRole("region", { name: "Founders" }).getByRole("listitem");
  await expect(founders).toHaveCount(2);
  await expect(founders.nth(0).getByText("CEO", { exact: true })).toBeVisible();
  await expect(founders.nth(1).getByText("CTO", { exact: true })).toBeVisible();
});

test("[1P-05] [2T-01] [2T-02] [2T-03] [2T-04] the footer links to the terms with eight sections, and Back returns", async ({
  page,
}) => {
  await page.goto("/about-us");
  const footer = page.getByRole("contentinfo");
  await footer.getByRole("link", { name: "Privacy Policy", exact: true }).click();
  await expect(page).toHaveURL("/terms-and-conditions");
  await expect(page.getByRole("heading", { level: 1, name: "Terms and Conditions" })).toBeFocused();
  await expect(page.getByRole("main").getByRole("heading", { level: 2 })).toHaveText([
    "Accuracy of information",
    "Application process",
    "Background verification",
    "Privacy and data protection",
    "Equal opportunity",
    "Confidentiality",
    "No employment guarantee",
    "Changes to terms",
  ]);
  await page.getByRole("button", { name: "Back", exact: true }).click();
  await expect(page).toHaveURL("/about-us");

  await footer.getByRole("link", { name: "Terms of Service", exact: true }).click();
  await expect(page).toHaveURL("/terms-and-conditions");
  // After opening the URL directly, Back goes to the home page.
  await page.goto("/terms-and-conditions/");
  await page.getByRole("button", { name: "Back", exact: true }).click();
  await expect(page).toHaveURL("/");
});

test("[2S-03] the success page links to the home page", async ({ page }) => {
  await page.goto("/success");
  await expect(page.getByRole("heading", { level: 1, name: "Success" })).toBeVisible();
  await page.getByRole("link", { name: "Go to Home", exact: true }).click();
  await expect(page).toHaveURL("/");
});

test("[2N-01] [2N-02] the navigation links to three pages and underlines the current one", async ({
  page,
}) => {
  await page.goto("/");
  const main = page.getByRole("navigation", { name: "Main" });
  await expect(main.getByRole("link")).toHaveText(["Home", "Careers", "About Us"]);
  for (const [name, path] of [
    ["Careers", "/careers"],
    ["About Us", "/about-us"],
    ["Home", "/"],
  ] as const) {
    await main.getByRole("link", { name, exact: true }).click();
    await expect(page).toHaveURL(path);
    const current = main.locator("[aria-current=page]");
    await expect(current).toHaveText([name]);
    const line = await current.evaluate((link) => getComputedStyle(link).borderBottom);
    expect(line).toMatch(/^2px solid rgb\(51, 72, 154\)$/);
    await expect(main.getByRole("link").filter({ hasNotText: name }).first()).toHaveCSS(
      "border-bottom-color",
      "rgba(0, 0, 0, 0)",
    );
  }
  // The same after opening the URL directly.
  await page.goto("/careers");
  await expect(page.getByRole("navigation", { name: "Main" }).locator("[aria-current=page]")).toHaveText(
    "Careers",
  );
});

test("[2N-05] [6A-07] a logged-out visitor sees the login button", async ({ page }) => {
  await page.goto("/about-us");
  await page.getByRole("banner").getByRole("link", { name: "Login/Signup", exact: true }).click();
  await expect(page).toHaveURL("/login");
});

deskTest("[2N-04] [6A-07] a logged-in user can log out on every page", async ({ page }) => {
  await page.goto("/about-us");
  await page.getByRole("banner").getByRole("link", { name: "Logout", exact: true }).click();
  await expect(page).toHaveURL("/logout");
  await expect(page).toHaveURL("/");
  await expect(page.getByRole("banner").getByRole("link", { name: "Login/Signup" })).toBeVisible();
});

test("[2F-01] the footer has three social links", async ({ page }) => {
  await page.goto("/");
  const social = page.getByRole("contentinfo").getByRole("link", { name: /^TradeBahi on / });
  await expect(social).toHaveCount(3);
  for (const link of await social.all()) await expect(link).toHaveAttribute("href", /^https:\/\//);
});

test("[2O-01] while the app loads only the loading overlay is shown", async ({ page }) => {
  const release = await holdRequests(page, "**/assets/*.js");
  await page.goto("/dashboard", { waitUntil: "commit" });
  const overlay = page.getByRole("status").filter({ hasText: "Loading..." });
  await expect(overlay.getByText("Loading...", { exact: true })).toBeVisible();
  // The text appears a moment before the style sheet.
  await expect.poll(() => overlay.boundingBox()).toEqual({ x: 0, y: 0, ...page.viewportSize() });
  const moving = () => overlay.evaluate((part) => part.getAnimations({ subtree: true }).length);
  await expect.poll(moving).toBeGreaterThan(4);
  release();
  await expect(page.getByRole("heading", { level: 1, name: "Access Denied" })).toBeVisible();
  await expect(overlay).toHaveCount(0);
});

test("readable content is never covered by the overlay", async ({ page }) => {
  const release = await holdRequests(page, "**/assets/*.js");
  for (const path of ["/", "/about-us", "/login"]) {
    await page.goto(path, { waitUntil: "commit" });
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(page.getByText("Loading...")).toHaveCount(0);
  }
  release();
});

test("a link below the fold works before its script has loaded", async ({ page }) => {
  const release = await holdRequests(page, "**/assets/public-home-below*.js");
  await page.goto("/");
  await page.getByRole("link", { name: "Strategy backtesting" }).click();
  release();
  await expect(page.getByRole("heading", { level: 1, name: "Coming Soon" })).toBeVisible();
});

test("a page opened by a redirect is complete without an interaction", async ({ page }) => {
  await page.goto("/logout");
  await expect(page).toHaveURL("/");
  await expect(page.getByRole("region", { name: "Why Join TradeBahi?" })).toBeVisible();
  await expect(page.getByRole("contentinfo").getByRole("link", { name: /@/ })).toBeVisible();
});
