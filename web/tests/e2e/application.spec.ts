import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { type Candidate, newCandidate, pdf } from "./application-form.ts";
import { runApplicationsCommand } from "./applications-cli.ts";
import { linkTo, nextLinkTo } from "./emails.ts";
import { test as base, expect, expectAccessible } from "./test-fixtures.ts";

type Own = Candidate & { applicationId: string; link: string };

/** Each test has its own application, sent by the API, and the link of its email. */
const test = base.extend<{ own: Own }>({
  own: async ({ request }, use, { workerIndex }) => {
    const { name, email, phone, motivation } = newCandidate(workerIndex);
    const reply = await request.post("/api/apply/FE101", {
      multipart: {
        name,
        email,
        mobile: phone,
        college: "NIT Surathkal",
        degree: "btech",
        passingYear: String(new Date().getFullYear()),
        experience: "1.5",
        motivation,
        consentApplication: "true",
        consentLaterRoles: "true",
        noticeVersion: "2026-11-20",
        resume: pdf("asha rao.pdf", 3_000),
      },
    });
    expect(reply.status(), await reply.text()).toBe(201);
    const { applicationId } = await reply.json();
    const link = await linkTo(email, "application");
    await use({ name, email, phone, motivation, applicationId, link });
  },
});

const heading = (page: Page) => page.getByRole("heading", { level: 1, name: "Frontend Intern", exact: true });
const sent = (page: Page) => page.getByRole("region", { name: "What you sent" });
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

async function open(page: Page, { link }: Own) {
  await page.goto(link);
  await expect(heading(page)).toBeVisible();
}

test("[C13] the link in the email shows the application, and the key is removed from the URL and sent nowhere else", async ({
  page,
  own,
  baseURL,
}) => {
  const requestedUrls: string[] = [];
  const sentKeys: (string | undefined)[] = [];
  page.on("request", (request) => {
    requestedUrls.push(request.url());
    if (request.url().includes("/api/application")) sentKeys.push(request.headers()["application-key"]);
  });
  await open(page, own);
  const key = own.link.split("#").at(-1) ?? "";
  expect(key.length).toBeGreaterThan(30);
  await expect(page).toHaveURL("/application");
  await expect(page).toHaveTitle("Your application · TradeBahi");
  await expect(page.getByText(own.applicationId)).toBeVisible();
  await expect(page.getByText(/^Received on/)).toBeVisible();
  await expect(page.getByText("Our team has not viewed your application yet.")).toBeVisible();
  for (const text of [
    own.name,
    own.email,
    own.phone,
    "B.Tech",
    "1.5",
    own.motivation,
    "asha rao.pdf, 2.93 kB",
  ])
    await expect(sent(page).getByText(text, { exact: true })).toBeVisible();

  expect(new Set(sentKeys)).toEqual(new Set([key]));
  // The key was in no request, because browsers do not send fragments, and no other site was requested.
  expect(requestedUrls.filter((url) => url.split("#")[0]?.includes(key))).toEqual([]);
  expect(requestedUrls.filter((url) => !url.startsWith(baseURL ?? "-"))).toEqual([]);
  const kept = () =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, document.cookie]);
  expect(await page.evaluate(kept)).not.toContain(key);
  await expect(page.locator('meta[name="robots"]')).toHaveAttribute("content", "noindex");
  await expectAccessible(page);
  await page.setViewportSize({ width: 320, height: 640 });
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
});

test("[C13] a wrong key and a missing key are reported", async ({ page, expectedErrors }) => {
  expectedErrors.push(/status of 404/);
  for (const [path, title] of [
    ["/application/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "This link is not valid"],
    ["/application", "Open the link in our email"],
    ["/application#AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "This link is not valid"],
  ] as const) {
    const reply = await page.goto(path);
    // A link that is opened on the page itself loads nothing.
    if (!path.includes("#")) expect(reply?.status()).toBe(200);
    await expect(page.getByRole("heading", { level: 1, name: title })).toBeVisible();
    await expect(page).toHaveURL("/application");
    await expect(page.getByRole("button", { name: "Send a new link" })).toBeVisible();
  }
  await expectAccessible(page);
});

test("correcting answers sends only the changed ones, and a withdrawal replaces the confirmation", async ({
  page,
  own,
}) => {
  await open(page, own);
  await press(page, "Correct answers");
  await expect(page.getByRole("heading", { level: 1, name: "Correct your answers" })).toBeFocused();
  await expect(page.getByLabel("Full name")).toHaveValue(own.name);
  await expect(page.getByLabel("Years of experience")).toHaveValue("1.5");
  await page.getByLabel("College").fill("");
  await press(page, "Save changes");
  await expect(page.getByRole("alert").getByRole("link", { name: "Enter your college." })).toBeVisible();
  await expectAccessible(page);
  await page.getByLabel("College").fill("IIT Madras");
  await page.getByLabel("Preferred role").selectOption("AIML");
  const update = page.waitForRequest((request) => request.method() === "PATCH");
  await press(page, "Save changes");
  expect((await update).postDataJSON()).toEqual({ college: "IIT Madras", role: "AIML" });
  await expect(page.getByRole("status").filter({ hasText: "Your answers were corrected." })).toBeFocused();
  await expect(sent(page).getByText("IIT Madras", { exact: true })).toBeVisible();
  await expect(sent(page).getByText("AI and ML Internship", { exact: true })).toBeVisible();
  await press(page, "Withdraw");
  await page.getByRole("dialog").getByRole("button", { name: "Withdraw application" }).click();
  await expect(page.getByText("This application is withdrawn.")).toBeVisible();
  await expect(page.getByText("Your answers were corrected.")).toHaveCount(0);
});

test("the data and the resume can be downloaded", async ({ page, own }) => {
  await open(page, own);
  const saved = page.waitForEvent("download");
  await press(page, "Download my data (JSON)");
  const file = await saved;
  expect(file.suggestedFilename()).toBe(`application-${own.applicationId}.json`);
  const data = JSON.parse(await readFile(await file.path(), "utf8"));
  expect(data).toMatchObject({
    applicationId: own.applicationId,
    answers: { email: own.email, motivation: own.motivation },
    resume: { fileName: "asha rao.pdf", bytes: 3_000 },
  });
  const resume = page.waitForEvent("download");
  await press(page, "Download my resume");
  const stored = await readFile(await (await resume).path());
  expect(stored.equals(pdf("asha rao.pdf", 3_000).buffer)).toBe(true);
});

test("the consent for later roles can be withdrawn and given again", async ({
  page,
  own,
  expectedErrors,
}) => {
  await open(page, own);
  const box = page.getByLabel("Keep my details for later roles");
  await expect(box).toBeChecked();
  await box.press("Space");
  await expect(sent(page).getByText("Not agreed.")).toBeVisible();
  await expect(box).toBeFocused();
  await page.goto(own.link);
  await expect(box).not.toBeChecked();
  await box.check();
  await expect(sent(page).getByText("You agreed that we keep your details.")).toBeVisible();

  expectedErrors.push(/ERR_FAILED/, /Failed to fetch/);
  await page.route("**/api/application/later-roles", (route) => route.abort());
  await box.click();
  await expect(page.getByRole("alert")).toBeVisible();
  await expect(box).toBeChecked();
});

test("the application is withdrawn after a confirmation and stays readable", async ({ page, own }) => {
  await open(page, own);
  await press(page, "Withdraw");
  const question = page.getByRole("dialog", { name: "Withdraw your application?" });
  await expect(question.getByRole("button", { name: "Cancel" })).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(question).toBeHidden();
  await expect(page.getByText("This application is withdrawn.")).toHaveCount(0);

  await press(page, "Withdraw");
  await press(page, "Withdraw application");
  await expect(page.locator(":focus")).toContainText("This application is withdrawn.");
  for (const name of ["Withdraw", "Correct answers"])
    await expect(page.getByRole("button", { name, exact: true })).toHaveCount(0);
  await expect(page.getByLabel("Keep my details for later roles")).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole("heading", { level: 1, name: "Open the link in our email" })).toBeVisible();
  await page.goto(own.link);
  await expect(page.getByText("This application is withdrawn.")).toBeVisible();
});

test("the application is deleted after a confirmation, and its link no longer works", async ({
  page,
  own,
  expectedErrors,
}) => {
  expectedErrors.push(/status of 404/);
  await open(page, own);
  await press(page, "Delete");
  const question = page.getByRole("dialog", { name: "Delete your application?" });
  await question.getByRole("button", { name: "Cancel" }).click();
  await expect(heading(page)).toBeVisible();
  await press(page, "Delete");
  await press(page, "Delete application");
  await expect(page.getByRole("heading", { level: 1, name: "Your application was deleted" })).toBeFocused();
  await page.goto(own.link);
  await expect(page.getByRole("heading", { level: 1, name: "This link is not valid" })).toBeVisible();
});

for (const look of [
  { name: "in dark", media: { colorScheme: "dark", reducedMotion: "no-preference" } },
  { name: "with reduced motion", media: { colorScheme: "light", reducedMotion: "reduce" } },
] as const) {
  test(`the page is accessible ${look.name}, also on a narrow phone`, async ({ page, own }) => {
    await page.emulateMedia(look.media);
    await page.setViewportSize({ width: 320, height: 640 });
    await open(page, own);
    await expectAccessible(page);
    await press(page, "Correct answers");
    await page.getByLabel("Full name").fill("");
    await press(page, "Save changes");
    await expect(page.getByRole("alert").getByRole("link", { name: "Enter your full name." })).toBeVisible();
    await expectAccessible(page);
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    await press(page, "Cancel");
    await press(page, "Delete");
    await expect(page.getByRole("dialog")).toBeVisible();
    await expectAccessible(page);
  });
}

const STEPS = ["Initial Discussion", "Technical Round", "Team Round", "Final Discussion"];

test("a decision of the company is shown and ends corrections", async ({ page, own }) => {
  await runApplicationsCommand(own.applicationId, "advance");
  await open(page, own);
  const steps = page.getByRole("region", { name: "Status" });
  await expect(steps.locator("[aria-current=step]")).toContainText("Initial Discussionsince");
  await expect(page.getByRole("button", { name: "Correct answers" })).toHaveCount(0);
  await runApplicationsCommand(own.applicationId, "reject");
  await page.goto(own.link);
  await expect(steps.getByText("We have decided to continue with other candidates.")).toBeVisible();
});

test("a correction that is too late is rejected, and the input is kept", async ({
  page,
  own,
  expectedErrors,
}) => {
  expectedErrors.push(/status of 409/);
  await open(page, own);
  await press(page, "Correct answers");
  await runApplicationsCommand(own.applicationId, "advance");
  await page.getByLabel("College").fill("IIT Madras");
  const answer = page.waitForResponse((reply) => reply.request().method() === "PATCH");
  await press(page, "Save changes");
  const { detail } = await (await answer).json();
  await expect(page.getByRole("alert")).toHaveText(detail);
  await expect(page.getByLabel("College")).toHaveValue("IIT Madras");
});

test("each step is shown with its start and its result", async ({ page, own }) => {
  let step = "technical-round";
  const pastSteps = ["initial-discussion"];
  await page.route("**/api/application", async (route) => {
    const reply = await route.fetch();
    const json = { ...(await reply.json()), step, pastSteps, stepSince: "2026-11-21T09:30:00Z" };
    await route.fulfill({ response: reply, json });
  });
  await open(page, own);
  const steps = page.getByRole("region", { name: "Status" });
  await expect(steps.getByRole("listitem")).toHaveText([/Done/, /Now/, /30 mins/, /30 mins/]);
  for (const [at, name] of STEPS.entries())
    await expect(steps.getByRole("listitem").nth(at)).toContainText(name);
  await expect(steps.locator("[aria-current=step]")).toContainText(
    "Technical Roundsince 21 Nov 2026, 3:00 pm",
  );
  await expect(page.getByRole("button", { name: "Correct answers" })).toHaveCount(0);
  await expectAccessible(page);

  step = "offered";
  await page.goto(own.link);
  await expect(steps.getByText("We would like you to join us.")).toBeVisible();
  await expect(steps.getByRole("listitem")).toHaveText([/Done/, /Skipped/, /Skipped/, /Skipped/]);
  step = "rejected";
  await page.goto(own.link);
  await expect(steps.getByText("We have decided to continue with other candidates.")).toBeVisible();
  await expect(steps.getByRole("listitem")).toHaveCount(0);
});

test("without a connection nothing is lost, and Retry works", async ({ page, own, expectedErrors }) => {
  expectedErrors.push(/ERR_FAILED/, /Failed to fetch/);
  await page.route("**/api/application", (route) => route.abort("failed"));
  await page.goto(own.link);
  await expect(page.getByText("It cannot be shown right now.")).toBeVisible();
  await page.unroute("**/api/application");
  await press(page, "Retry");
  await expect(heading(page)).toBeFocused();

  await page.route("**/api/application/withdraw", (route) => route.abort("failed"));
  await press(page, "Withdraw");
  await press(page, "Withdraw application");
  await expect(page.getByRole("alert")).toHaveText("The server could not be reached. Please try again.");
  await expect(page.getByText("This application is withdrawn.")).toHaveCount(0);
});

test("[C2] the page says when the company last viewed the application", async ({ page, own }) => {
  await open(page, own);
  await expect(page.getByText("Our team has not viewed your application yet.")).toBeVisible();
  await runApplicationsCommand(own.applicationId, "show");
  await page.goto(own.link);
  await expect(
    page.getByText(/^Our team last viewed your application on \d+ \w{3} \d{4}, \d+:\d\d [ap]m\.$/),
  ).toBeVisible();
});

test("[C13] a candidate replaces the link; the old one no longer works", async ({
  page,
  own,
  expectedErrors,
}) => {
  expectedErrors.push(/status of 404/);
  await open(page, own);
  await press(page, "Replace this link");
  await expect(page.getByRole("dialog", { name: "Replace the link to this page?" })).toContainText(own.email);
  await expectAccessible(page);
  await press(page, "Replace link");
  await expect(page.getByRole("heading", { level: 1, name: "Check your email" })).toBeFocused();
  await page.goto(own.link);
  await expect(page.getByRole("heading", { level: 1, name: "This link is not valid" })).toBeVisible();
  await open(page, { ...own, link: await nextLinkTo(own.email, "application", own.link) });
});

test("[C13] new links are sent by email, and the answer does not tell whether there is an application", async ({
  page,
  own,
}) => {
  for (const email of ["nobody@example.in", own.email]) {
    await page.goto("/application");
    await page.getByRole("button", { name: "Send a new link" }).click();
    await expect(page.getByText("Enter your email.")).toBeVisible();
    await page.getByLabel("Email").fill(email);
    await page.getByRole("button", { name: "Send a new link" }).click();
    await expect(page.getByRole("status")).toHaveText(
      `If there is an application from ${email}, we have sent a new link to it. Check your spam folder too.`,
    );
    await expect(page.getByRole("status")).toBeFocused();
    await expectAccessible(page);
  }
  await open(page, { ...own, link: await nextLinkTo(own.email, "application", own.link) });
  await open(page, own);
});

test("[2N-01] [C9] the page has the navigation of the site", async ({ page, own }) => {
  await open(page, own);
  const main = page.getByRole("navigation", { name: "Main" });
  await expect(main.getByRole("link")).toHaveText(["Home", "Careers", "About Us"]);
  await expect(page.getByRole("contentinfo")).toBeVisible();
});

test("[C10] a withdrawal and a revoked consent shorten the retention, and the page says so", async ({
  page,
  own,
}) => {
  await open(page, own);
  const deadline = page.getByText(/^We keep your application until/);
  const daysLeft = async () => {
    const [, day] = /until (.*?)\. Then/.exec((await deadline.textContent()) ?? "") ?? [];
    return Math.round((Date.parse(day ?? "") - Date.now()) / 86_400_000);
  };
  expect(await daysLeft()).toBeGreaterThan(360);
  await runApplicationsCommand(own.applicationId, "reject");
  await page.getByLabel("Keep my details for later roles").uncheck();
  await expect.poll(daysLeft).toBeLessThan(92);
  expect(await daysLeft()).toBeGreaterThan(87);
  await press(page, "Withdraw");
  await expect(page.getByRole("dialog")).toContainText("delete it after 30 days");
  await press(page, "Withdraw application");
  await expect.poll(daysLeft).toBeLessThan(32);
});
