import type { Page } from "@playwright/test";
import {
  alert,
  FAILED,
  fillForm,
  form,
  newCandidate,
  openForm,
  pdf,
  problem,
  receipt,
  submit,
  submitted,
  summary,
  waitForForm,
} from "./application-form.ts";
import { linkTo } from "./emails.ts";
import { startInterruptingProxy } from "./interrupting-proxy.ts";
import { expect, expectAccessible, holdRequests, test } from "./test-fixtures.ts";

test("[4A-01] while sending, the form shows the progress and a spinner, and can be cancelled", async ({
  page,
}, { workerIndex }) => {
  await openForm(page);
  await fillForm(page, newCandidate(workerIndex));
  const release = await holdRequests(page, "**/api/apply/FE101");
  await submit(page).click();
  await expect(submit(page)).toHaveAttribute("aria-disabled", "true");
  await expect(submit(page).locator(".spinner")).toBeVisible();
  await expect(page.getByText("Sending your application").first()).toBeVisible();
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  await expect(page.getByRole("status").filter({ hasText: "Cancelled." })).toBeVisible();
  await expect(page.getByText("asha-rao.pdf")).toBeVisible();
  await expect(submitted(page)).toHaveCount(0);
  release();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await submit(page).click();
  await expect(submitted(page)).toBeVisible();
});

const shareSent = (page: Page) =>
  page
    .getByRole("progressbar", { name: "Sending your application" })
    .evaluate((progress: HTMLProgressElement) => progress.value);

test("after an interrupted upload the form is kept and can be submitted again", async ({
  page,
  baseURL,
  expectedErrors,
}, { workerIndex }) => {
  expectedErrors.push(/ERR_/, /could not be sent/);
  const proxy = await startInterruptingProxy(baseURL ?? "", 1_000_000);
  await page.goto(`${proxy.url}/apply/FE101`);
  await waitForForm(page);
  await fillForm(page, newCandidate(workerIndex), pdf("cut.pdf", 2_000_000));
  await submit(page).click();
  await expect(alert(page).getByText(FAILED, { exact: true })).toBeVisible();
  await expect(page.getByText("cut.pdf")).toBeVisible();
  proxy.repair();
  await submit(page).click();
  await expect(receipt(page, "Resume")).toHaveText("cut.pdf, 1.91 MB");
  proxy.close();
});

test("a slow upload shows its progress", async ({ page }, { workerIndex }) => {
  await openForm(page);
  await fillForm(page, newCandidate(workerIndex), pdf("slow.pdf", 2_000_000));
  const session = await page.context().newCDPSession(page);
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: 100_000,
  });
  await submit(page).click();
  await expect.poll(() => shareSent(page), { timeout: 20_000 }).toBeGreaterThan(0);
  expect(await shareSent(page)).toBeLessThan(1);
  await expect(page.getByText(/of 1\.91 MB, \d+\s%/)).toBeVisible();
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  await expect(page.getByRole("status").filter({ hasText: "Cancelled." })).toBeVisible();
});

test("[4A-02] [4A-03] [8E-03] a response without a receipt is not a success: form and file are kept, and the next attempt works", async ({
  page,
  expectedErrors,
}, { workerIndex }) => {
  expectedErrors.push(/status of 5\d\d/);
  await openForm(page);
  await fillForm(page, newCandidate(workerIndex));
  const answers = [
    { reply: problem(500, "internal"), message: /does not create a second one/ },
    { reply: problem(507, "storage_full"), message: /cannot store another resume/ },
    { reply: { ...problem(503, "busy"), headers: { "Retry-After": "30" } }, message: /in 30 seconds/ },
  ];
  for (const { reply, message } of answers) {
    await page.route("**/api/apply/FE101", (route) => route.fulfill(reply));
    await submit(page).click();
    await expect(alert(page)).toContainText(message);
    await expect(submitted(page)).toHaveCount(0);
    await expect(page.getByLabel("College")).toHaveValue("NIT Surathkal");
    await expect(page.getByText("asha-rao.pdf")).toBeVisible();
    await page.unroute("**/api/apply/FE101");
  }
  await expectAccessible(page);
  await submit(page).click();
  await expect(submitted(page)).toBeVisible();
});

test("[4A-03] [C5] server errors are shown at their fields, with the focus on the summary", async ({
  page,
  expectedErrors,
}, { workerIndex }) => {
  expectedErrors.push(/status of 4\d\d/);
  await openForm(page);
  await fillForm(page, newCandidate(workerIndex));
  await page.route("**/api/apply/FE101", (route) => route.fulfill(problem(413, "resume_too_large")));
  await submit(page).click();
  await expect(summary(page)).toBeFocused();
  await expect(summary(page).getByRole("link")).toHaveText("File size must be less than 5MB.");
  await expect(alert(page)).toBeVisible();
  await page.unroute("**/api/apply/FE101");

  // From the real server: a file with the extension .pdf that is not a PDF.
  await page
    .getByLabel("Resume")
    .setInputFiles({ name: "notes.pdf", mimeType: "application/pdf", buffer: Buffer.from("hello") });
  const refusal = page.waitForResponse("**/api/apply/FE101");
  await submit(page).click();
  const { errors } = await (await refusal).json();
  await expect(summary(page).getByRole("link")).toHaveText(errors[0].message);
  await summary(page).getByRole("link").click();
  await expect(page.getByLabel("Resume")).toBeFocused();
  await expect(page.getByText("notes.pdf")).toBeVisible();
  await page.getByLabel("Resume").setInputFiles(pdf());
  await expect(summary(page)).toHaveCount(0);
  await expect(alert(page)).toHaveCount(0);
  await submit(page).click();
  await expect(submitted(page)).toBeVisible();
});

test("[2N-01] [C9] the form has the navigation of the site, and leaving it loses nothing", async ({ page }, {
  workerIndex,
}) => {
  const candidate = newCandidate(workerIndex);
  await openForm(page);
  await fillForm(page, candidate);
  const main = page.getByRole("navigation", { name: "Main" });
  await expect(main.getByRole("link")).toHaveText(["Home", "Careers", "About Us"]);
  await expect(page.getByRole("contentinfo")).toBeVisible();
  await main.getByRole("link", { name: "Careers" }).click();
  await expect(page).toHaveURL("/careers");
  await page.goBack();
  await waitForForm(page);
  await expect(page.getByLabel("Email")).toHaveValue(candidate.email);
  await expect(page.getByText("asha-rao.pdf")).toBeVisible();

  // While the application is being sent, leaving asks first.
  const release = await holdRequests(page, "**/api/apply/FE101");
  await submit(page).click();
  await main.getByRole("link", { name: "Home" }).click();
  const question = page.getByRole("dialog", { name: "Leave this page?" });
  await expect(question).toBeVisible();
  await question.getByRole("button", { name: "Cancel" }).click();
  await expect(page).toHaveURL("/apply/FE101");
  release();
  await expect(submitted(page)).toBeVisible();
});

test("[C7] a mistyped email address is corrected on the receipt", async ({ page }, { workerIndex }) => {
  const candidate = newCandidate(workerIndex);
  const right = `right.${candidate.email}`;
  await openForm(page);
  await fillForm(page, candidate);
  await submit(page).click();
  await expect(submitted(page)).toBeVisible();
  // A phone may have discarded the page meanwhile.
  await page.reload();
  await expect(receipt(page, "Reply to")).toHaveText(candidate.email);
  await page.getByRole("button", { name: "Wrong email address? Correct it" }).click();
  const field = page.getByRole("textbox", { name: "Email" });
  await expect(field).toBeFocused();
  await expect(field).toHaveValue(candidate.email);
  await field.fill("asha");
  await page.getByRole("button", { name: "Send the receipt to this address" }).click();
  await expect(page.getByText("Enter an email like asha@example.in.")).toBeVisible();
  await expectAccessible(page);
  await field.fill(right);
  await page.getByRole("button", { name: "Send the receipt to this address" }).click();
  await expect(page.getByRole("status").filter({ hasText: "Email address changed." })).toBeFocused();
  await expect(receipt(page, "Reply to")).toHaveText(right);
  await page.getByRole("link", { name: "Go to Home" }).click();
  await expect(page).toHaveURL("/");
  await page.goBack();
  await expect(receipt(page, "Reply to")).toHaveText(right);
  await expect(page.getByRole("button", { name: "Wrong email address? Correct it" })).toHaveCount(0);
  await page.goto(await linkTo(right, "application"));
  await expect(page.getByRole("heading", { level: 1, name: "Frontend Intern" })).toBeVisible();
});

test("a receipt that is not sent by email says so, and offers a link instead", async ({ page }, {
  workerIndex,
}) => {
  const candidate = newCandidate(workerIndex);
  await page.route("**/api/apply/FE101", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), receiptQueued: false } });
  });
  await openForm(page);
  await fillForm(page, candidate);
  await submit(page).click();
  await expect(submitted(page)).toBeVisible();
  const steps = page.getByRole("main").getByRole("listitem");
  await expect(steps.first()).toContainText(`five receipts were sent to ${candidate.email} today`);
  await expect(steps.filter({ hasText: "We are sending an email" })).toHaveCount(0);
  await expectAccessible(page);
  await page.getByRole("link", { name: "ask for a link to it" }).click();
  await expect(page.getByRole("button", { name: "Send a new link" })).toBeVisible();
});

test("[8E-01] [8E-02] [4A-03] a lost connection is reported and logged, and the form is kept", async ({
  page,
  expectedErrors,
}, { workerIndex }) => {
  expectedErrors.push(/ERR_FAILED/, /could not be sent/);
  await openForm(page);
  await fillForm(page, newCandidate(workerIndex));
  await page.route("**/api/apply/FE101", (route) => route.abort("failed"));
  const logged = page.waitForEvent("console", (message) => message.text().includes("could not be sent"));
  await submit(page).click();
  await expect(alert(page).getByText(FAILED, { exact: true })).toBeVisible();
  await logged;
  await expect(page.getByLabel("College")).toHaveValue("NIT Surathkal");
  await expect(page.getByText("asha-rao.pdf")).toBeVisible();
  await page.unroute("**/api/apply/FE101");
  await submit(page).click();
  await expect(submitted(page)).toBeVisible();
});

/** Loses one response of the server. */
async function loseOneAnswer(page: Page) {
  await page.evaluate(() => {
    const { send } = XMLHttpRequest.prototype;
    XMLHttpRequest.prototype.send = function (body) {
      XMLHttpRequest.prototype.send = send;
      this.onload = () => this.onerror?.(new ProgressEvent("error"));
      send.call(this, body);
    };
  });
}

test("a retry after a lost response, even after a reload, is the same application", async ({
  page,
  expectedErrors,
}, { workerIndex }) => {
  expectedErrors.push(/could not be sent/);
  const candidate = newCandidate(workerIndex);
  await openForm(page);
  await fillForm(page, candidate);
  await loseOneAnswer(page);
  const first = page.waitForResponse("**/api/apply/FE101");
  await submit(page).click();
  const { applicationId } = await (await first).json();
  await expect(alert(page)).toBeVisible();

  await page.reload();
  await waitForForm(page);
  await expect(page.getByLabel("Email")).toHaveValue(candidate.email);
  await page.getByLabel("Resume").setInputFiles(pdf());
  const second = page.waitForResponse("**/api/apply/FE101");
  await submit(page).click();
  expect((await second).headers()["idempotency-replayed"]).toBe("true");
  await expect(receipt(page, "Number")).toHaveText(applicationId);
});

test("changed answers after a lost receipt are reported, and sent as a second application only on purpose", async ({
  page,
  expectedErrors,
}, { workerIndex }) => {
  expectedErrors.push(/could not be sent/, /status of 409/);
  await openForm(page);
  await fillForm(page, newCandidate(workerIndex));
  await loseOneAnswer(page);
  const first = page.waitForResponse("**/api/apply/FE101");
  await submit(page).click();
  const { applicationId } = await (await first).json();
  await expect(alert(page)).toBeVisible();
  await page.getByLabel("College").fill("IIT Madras");
  await submit(page).click();
  await expect(alert(page)).toContainText("An earlier attempt with other answers was stored");
  await submit(page).click();
  await expect(submitted(page)).toBeVisible();
  await expect(receipt(page, "Number")).not.toHaveText(applicationId);
});

test("a draft survives a reload; the page says that the file does not", async ({ page }, { workerIndex }) => {
  const candidate = newCandidate(workerIndex);
  await openForm(page);
  await fillForm(page, candidate, pdf("my book.pdf"));
  await page.getByLabel("Preferred role").selectOption("backend");
  const year = await page.getByLabel("Graduation year").inputValue();
  await page.reload();
  await waitForForm(page);
  await expect(page.getByLabel("Full name")).toHaveValue(candidate.name);
  await expect(page.getByLabel("Phone")).toHaveValue(candidate.phone);
  await expect(page.getByLabel("Degree")).toHaveValue("btech");
  await expect(page.getByLabel("Graduation year")).toHaveValue(year);
  await expect(page.getByLabel("Preferred role")).toHaveValue("backend");
  await expect(page.getByLabel("Why do you want")).toHaveValue(candidate.motivation);
  await expect(page.getByLabel("may use these details")).toBeChecked();
  await expect(form(page)).toContainText("Choose my book.pdf again: the browser does not keep files.");
  // The draft belongs to this opening only.
  await openForm(page, "BE101");
  await expect(page.getByLabel("Full name")).toHaveValue("");

  await openForm(page);
  await page.getByLabel("Resume").setInputFiles(pdf());
  await submit(page).click();
  await expect(submitted(page)).toBeVisible();
  // The same address again would show the receipt.
  await page.goto("/careers");
  await openForm(page);
  await expect(page.getByLabel("Full name")).toHaveValue("");
});

test("answers and file are kept while the job description is open", async ({ page }, { workerIndex }) => {
  const candidate = newCandidate(workerIndex);
  await openForm(page);
  await fillForm(page, candidate);
  await page.getByRole("link", { name: "Back to Frontend Intern" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Frontend Intern" })).toBeFocused();
  await page.getByRole("link", { name: "Apply Now", exact: true }).first().click();
  await expect(page.getByLabel("Email")).toHaveValue(candidate.email);
  await expect(page.getByText("asha-rao.pdf")).toBeVisible();
  await submit(page).click();
  await expect(submitted(page)).toBeVisible();
});

test("input before hydration is kept", async ({ page }, { workerIndex }) => {
  const candidate = newCandidate(workerIndex);
  const release = await holdRequests(page, "**/assets/apply-form*.js");
  await page.goto("/apply/FE101", { waitUntil: "commit" });
  await page.getByLabel("Full name").fill(candidate.name);
  await page.getByLabel("Degree").selectOption("mca");
  await page.getByLabel("Keep them for later roles").check();
  release();
  await waitForForm(page);
  await expect(page.getByLabel("Full name")).toHaveValue(candidate.name);
  await expect(page.getByLabel("Degree")).toHaveValue("mca");
  await expect(page.getByLabel("Keep them for later roles")).toBeChecked();
  await fillForm(page, { ...candidate, name: candidate.name });
  await submit(page).click();
  await expect(submitted(page)).toBeVisible();
});
