import type { Page } from "@playwright/test";
import { cutLine } from "./cut-line.ts";
import {
  alert,
  atWork,
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
} from "./resumes.ts";
import { expect, expectAccessible, heldBack, test } from "./watched-page.ts";

test("[4A-01] while it is sent the form says so, shows a spinner, and can be stopped", async ({ page }, {
  workerIndex,
}) => {
  await openForm(page);
  await fillForm(page, newCandidate(workerIndex));
  const release = await heldBack(page, "**/api/apply/FE101");
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

test("a line that is cut in the middle of the resume costs nothing but a press", async ({
  page,
  baseURL,
  expectedErrors,
}, { workerIndex }) => {
  expectedErrors.push(/ERR_/, /did not get through/);
  const line = await cutLine(baseURL ?? "", 1_000_000);
  await page.goto(`${line.url}/apply/FE101`);
  await atWork(page);
  await fillForm(page, newCandidate(workerIndex), pdf("cut.pdf", 2_000_000));
  await submit(page).click();
  await expect(alert(page).getByText(FAILED, { exact: true })).toBeVisible();
  await expect(page.getByText("cut.pdf")).toBeVisible();
  line.mend();
  await submit(page).click();
  await expect(receipt(page, "Resume")).toHaveText("cut.pdf, 2 MB");
  line.close();
});

test("on a slow line one sees how far the resume is", async ({ page }, { workerIndex }) => {
  await openForm(page);
  await fillForm(page, newCandidate(workerIndex), pdf("slow.pdf", 2_000_000));
  const line = await page.context().newCDPSession(page);
  await line.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: 100_000,
  });
  await submit(page).click();
  await expect.poll(() => shareSent(page), { timeout: 20_000 }).toBeGreaterThan(0);
  expect(await shareSent(page)).toBeLessThan(1);
  await expect(page.getByText(/of 2 MB, \d+\s%/)).toBeVisible();
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  await expect(page.getByRole("status").filter({ hasText: "Cancelled." })).toBeVisible();
});

test("[4A-02] [4A-03] [8E-03] an answer that is no receipt is no success: form and file stay, and the next try works", async ({
  page,
  expectedErrors,
}, { workerIndex }) => {
  expectedErrors.push(/status of 5\d\d/);
  await openForm(page);
  await fillForm(page, newCandidate(workerIndex));
  const answers = [
    { reply: problem(500, "internal"), words: /does not create a second one/ },
    { reply: problem(507, "store_full"), words: /cannot store another resume/ },
    { reply: { ...problem(503, "busy"), headers: { "Retry-After": "30" } }, words: /in 30 seconds/ },
  ];
  for (const { reply, words } of answers) {
    await page.route("**/api/apply/FE101", (route) => route.fulfill(reply));
    await submit(page).click();
    await expect(alert(page)).toContainText(words);
    await expect(submitted(page)).toHaveCount(0);
    await expect(page.getByLabel("College")).toHaveValue("NIT Surathkal");
    await expect(page.getByText("asha-rao.pdf")).toBeVisible();
    await page.unroute("**/api/apply/FE101");
  }
  await expectAccessible(page);
  await submit(page).click();
  await expect(submitted(page)).toBeVisible();
});

test("[4A-03] what the server refuses stands beside its field, with the focus on the summary", async ({
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

  // By the real server: what calls itself a PDF and is none.
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
  await submit(page).click();
  await expect(submitted(page)).toBeVisible();
});

test("[8E-01] [8E-02] [4A-03] a lost connection keeps the form, says so, and is logged", async ({
  page,
  expectedErrors,
}, { workerIndex }) => {
  expectedErrors.push(/ERR_FAILED/, /did not get through/);
  await openForm(page);
  await fillForm(page, newCandidate(workerIndex));
  await page.route("**/api/apply/FE101", (route) => route.abort("failed"));
  const logged = page.waitForEvent("console", (message) => message.text().includes("did not get through"));
  await submit(page).click();
  await expect(alert(page).getByText(FAILED, { exact: true })).toBeVisible();
  await logged;
  await expect(page.getByLabel("College")).toHaveValue("NIT Surathkal");
  await expect(page.getByText("asha-rao.pdf")).toBeVisible();
  await page.unroute("**/api/apply/FE101");
  await submit(page).click();
  await expect(submitted(page)).toBeVisible();
});

/** The server answers, and the answer is lost on the way: once. */
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

test("a retry after a lost answer, even after a reload, is the same application", async ({
  page,
  expectedErrors,
}, { workerIndex }) => {
  expectedErrors.push(/did not get through/);
  const candidate = newCandidate(workerIndex);
  await openForm(page);
  await fillForm(page, candidate);
  await loseOneAnswer(page);
  const first = page.waitForResponse("**/api/apply/FE101");
  await submit(page).click();
  const { applicationId } = await (await first).json();
  await expect(alert(page)).toBeVisible();

  await page.reload();
  await atWork(page);
  await expect(page.getByLabel("Email")).toHaveValue(candidate.email);
  await page.getByLabel("Resume").setInputFiles(pdf());
  const second = page.waitForResponse("**/api/apply/FE101");
  await submit(page).click();
  expect((await second).headers()["idempotency-replayed"]).toBe("true");
  await expect(receipt(page, "Number")).toHaveText(applicationId);
});

test("other answers after a lost receipt are told apart, and sent as a second application only on purpose", async ({
  page,
  expectedErrors,
}, { workerIndex }) => {
  expectedErrors.push(/did not get through/, /status of 409/);
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

test("a draft survives a reload; the file does not, which is said", async ({ page }, { workerIndex }) => {
  const candidate = newCandidate(workerIndex);
  await openForm(page);
  await fillForm(page, candidate, pdf("my book.pdf"));
  await page.getByLabel("Preferred role").selectOption("backend");
  const year = await page.getByLabel("Graduation year").inputValue();
  await page.reload();
  await atWork(page);
  await expect(page.getByLabel("Full name")).toHaveValue(candidate.name);
  await expect(page.getByLabel("Phone")).toHaveValue(candidate.phone);
  await expect(page.getByLabel("Degree")).toHaveValue("btech");
  await expect(page.getByLabel("Graduation year")).toHaveValue(year);
  await expect(page.getByLabel("Preferred role")).toHaveValue("backend");
  await expect(page.getByLabel("Why do you want")).toHaveValue(candidate.motivation);
  await expect(page.getByLabel("may use these details")).toBeChecked();
  await expect(form(page)).toContainText("Choose my book.pdf again: a browser does not keep files.");
  // Of this opening alone.
  await openForm(page, "BE101");
  await expect(page.getByLabel("Full name")).toHaveValue("");

  await openForm(page);
  await page.getByLabel("Resume").setInputFiles(pdf());
  await submit(page).click();
  await expect(submitted(page)).toBeVisible();
  await openForm(page);
  await expect(page.getByLabel("Full name")).toHaveValue("");
});

test("who looks at the job once more finds answers and file again", async ({ page }, { workerIndex }) => {
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

test("what is typed before the script of the form is there stays", async ({ page }, { workerIndex }) => {
  const candidate = newCandidate(workerIndex);
  const release = await heldBack(page, "**/assets/apply-form*.js");
  await page.goto("/apply/FE101", { waitUntil: "commit" });
  await page.getByLabel("Full name").fill(candidate.name);
  await page.getByLabel("Degree").selectOption("mca");
  await page.getByLabel("Keep them for later roles").check();
  release();
  await atWork(page);
  await expect(page.getByLabel("Full name")).toHaveValue(candidate.name);
  await expect(page.getByLabel("Degree")).toHaveValue("mca");
  await expect(page.getByLabel("Keep them for later roles")).toBeChecked();
  await fillForm(page, { ...candidate, name: candidate.name });
  await submit(page).click();
  await expect(submitted(page)).toBeVisible();
});
