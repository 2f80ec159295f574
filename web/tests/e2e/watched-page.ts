import { AxeBuilder } from "@axe-core/playwright";
import { test as base, expect, type Page } from "@playwright/test";
import { type Account, newAccount } from "./accounts.ts";

type Fixtures = {
  /** What the console or the network may say in this test; anything else of that kind fails it. */
  expectedErrors: RegExp[];
  /** Of this test alone, without trades. */
  account: Account;
};

/** All pages of the test are watched: a console error (the content policy's among them) or a lost request fails it. */
export const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the fixtures that are asked for from it
  baseURL: async ({}, use) => use(process.env.BASE_URL),
  page: async ({ page }, use) => {
    const goto = page.goto.bind(page);
    page.goto = async (...args) => {
      const reply = await goto(...args);
      if (!args[1]?.waitUntil) await answersPresses(page);
      return reply;
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
        // The page itself took it back, by leaving or by asking for something else.
        if (reason !== "net::ERR_ABORTED") errors.push(`${request.method()} ${request.url()}: ${reason}`);
      });
      await use(expected);
      expect(errors.filter((text) => !expected.some((pattern) => pattern.test(text)))).toEqual([]);
    },
    { auto: true },
  ],
});

/** The same with the account signed in, as after a login in this browser. */
export const deskTest = test.extend({
  storageState: async ({ account, baseURL }, use) => {
    const { cookies } = await account.request.storageState();
    const localStorage = [{ name: "token", value: account.token }];
    await use({ cookies, origins: [{ origin: baseURL ?? "", localStorage }] });
  },
});

/**
 * A page can be read before its script is there; a button cannot be pressed. On a loaded machine a test would be faster
 * than any reader. A test that holds the script back says itself what it waits for.
 */
async function answersPresses(page: Page): Promise<void> {
  const hydrated = page.waitForFunction(
    () => {
      if (!document.querySelector("script[type=module]")) return true;
      const key = Object.keys(document).find((name) => name.startsWith("__reactContainer$"));
      // biome-ignore lint/suspicious/noExplicitAny: React says it nowhere else
      const root = key && (document as any)[key];
      return root?.stateNode.current.memoizedState.isDehydrated === false;
    },
    undefined,
    { timeout: 20_000 },
  );
  await hydrated.catch(() => {});
}

export async function expectAccessible(page: Page): Promise<void> {
  await setMotion(page, false);
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`),
  ).toEqual([]);
  await setMotion(page, true);
}

/** What fades in has too little contrast on the way, and may come while the page is being looked through. */
async function setMotion(page: Page, on: boolean): Promise<void> {
  await page.evaluate((on) => {
    const still = new CSSStyleSheet();
    still.replaceSync("*, ::before, ::after { animation: none !important; transition: none !important }");
    document.adoptedStyleSheets = on ? [] : [still];
  }, on);
}

/** Words that are drawn in another face until their own has come may move with it. */
export async function fontsCome(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await document.fonts.ready;
  });
}

/** Requests to this address wait until the answer is called: what a slow line shows, for as long as a test looks. */
export async function heldBack(page: Page, address: string): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(address, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

export { expect };
