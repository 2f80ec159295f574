import { AxeBuilder } from "@axe-core/playwright";
import { test as base, expect, type Page } from "@playwright/test";
import { type Account, newAccount } from "./accounts.ts";

type Fixtures = {
  /** Console and network errors that this test expects; any other error fails it. */
  expectedErrors: RegExp[];
  /** An account for this test only, without trades. */
  account: Account;
};

/** A console error on any page of the test (including CSP violations) or a failed request fails the test. */
export const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the required fixtures from the parameter
  baseURL: async ({}, use) => use(process.env.BASE_URL),
  page: async ({ page }, use) => {
    const goto = page.goto.bind(page);
    page.goto = async (...args) => {
      const response = await goto(...args);
      if (!args[1]?.waitUntil) await waitForHydration(page);
      return response;
    };
    await use(page);
  },
  account: async ({ playwright, baseURL }, use, { workerIndex }) => {
    const request = await playwright.request.newContext({ baseURL: baseURL ?? "" });
    await use(await newAccount(request, workerIndex));
    await request.dispose();
  },
  expectedErrors: [
    async ({ context }, use) => {
      const expected: RegExp[] = [];
      const errors: string[] = [];
      context.on("weberror", (error) => errors.push(error.error().message));
      context.on("console", (message) => {
        if (message.type() === "error") errors.push(`${message.text()} (${message.location().url})`);
      });
      context.on("requestfailed", (request) => {
        const reason = request.failure()?.errorText ?? "";
        // The page cancelled the request itself.
        if (reason !== "net::ERR_ABORTED") errors.push(`${request.method()} ${request.url()}: ${reason}`);
      });
      await use(expected);
      expect(errors.filter((text) => !expected.some((pattern) => pattern.test(text)))).toEqual([]);
    },
    { auto: true },
  ],
});

/** Test with the account logged in, as after a login in this browser. */
export const deskTest = test.extend({
  storageState: async ({ account, baseURL }, use) => {
    const { cookies } = await account.request.storageState();
    const localStorage = [{ name: "token", value: account.token }];
    await use({ cookies, origins: [{ origin: baseURL ?? "", localStorage }] });
  },
});

/**
 * Waits until React has hydrated the page, so that buttons work: on a busy machine a test is faster than any user. A test
 * that holds scripts back waits by itself.
 */
async function waitForHydration(page: Page): Promise<void> {
  const hydrated = page.waitForFunction(
    () => {
      if (!document.querySelector("script[type=module]")) return true;
      const key = Object.keys(document).find((name) => name.startsWith("__reactContainer$"));
      // biome-ignore lint/suspicious/noExplicitAny: React does not expose this state elsewhere
      const root = key && (document as any)[key];
      return root?.stateNode.current.memoizedState.isDehydrated === false;
    },
    undefined,
    { timeout: 20_000 },
  );
  await hydrated.catch(() => {});
}

/** Checks the page with axe. */
export async function expectAccessible(page: Page): Promise<void> {
  await setMotion(page, false);
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`),
  ).toEqual([]);
  await setMotion(page, true);
}

/** Checks the page with axe at phone and desktop widths in both themes, and takes pictures. */
export async function expectAccessibleEverywhere(page: Page, name: string): Promise<void> {
  const size = page.viewportSize() ?? { width: 1280, height: 720 };
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      await expectAccessible(page);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(overflow, `at ${width} px`).toBeLessThanOrEqual(0);
      const path = `${process.env.E2E_FILES}/${name}-${colorScheme}-${width}.png`;
      await page.screenshot({ path, fullPage: true });
    }
  }
  await page.emulateMedia({ colorScheme: null });
  await page.setViewportSize(size);
}

/** Turns animations off while axe runs: an element that fades in has too little contrast. */
async function setMotion(page: Page, on: boolean): Promise<void> {
  await page.evaluate((on) => {
    const still = new CSSStyleSheet();
    still.replaceSync("*, ::before, ::after { animation: none !important; transition: none !important }");
    document.adoptedStyleSheets = on ? [] : [still];
  }, on);
}

/** Waits for the fonts, because text may move when they load. */
export async function waitForFonts(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await document.fonts.ready;
  });
}

/** Delays requests to this URL pattern until the returned function is called, to test slow connections. */
export async function holdRequests(page: Page, url: string): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(url, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

export { expect };
