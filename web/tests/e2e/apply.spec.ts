import type { FileChooser, Page } from "@playwright/test";
import {
  alert,
  fillAnswers,
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
import { expect, expectAccessible, test } from "./test-fixtures.ts";

async function options(page: Page, label: string): Promise<string[]> {
  return page
    .getByLabel(label)
    .evaluate((select: HTMLSelectElement) =>
      Array.from(select.options, ({ value }) => value).filter((value) => value !== ""),
    );
}

test("[1C-04] [2P-01] [2P-02] [6A-03] [7C-01] [7C-02] a visitor applies without a login and gets a receipt", async ({
  page,
}, { workerIndex }) => {
  const candidate = newCandidate(workerIndex);
  await page.goto("/job-description/FE101");
  await page.getByRole("link", { name: "Apply Now", exact: true }).first().click();
  await waitForForm(page);
  await fillForm(page, candidate, pdf("asha rao.pdf", 123_456));
  const sent = page.waitForRequest("**/api/apply/FE101");
  const responsePromise = page.waitForResponse("**/api/apply/FE101");
  await submit(page).click();
  const request = await sent;
  expect(request.method()).toBe("POST");
  const headers = await request.allHeaders();
  expect(headers["content-type"]).toMatch(/^multipart\/form-data/);
  expect(headers.authorization).toBeUndefined();
  const stored = await (await responsePromise).json();

  await expect(submitted(page)).toBeVisible();
  await expect(submitted(page)).toBeFocused();
  await expect(receipt(page, "Number")).toHaveText(stored.applicationId);
  await expect(receipt(page, "Received")).toHaveText(/^\d+ \w{3} \d{4}, \d+:\d\d [ap]m$/);
  await expect(receipt(page, "Resume")).toHaveText("asha rao.pdf, 121 kB");
  await expect(receipt(page, "Reply to")).toHaveText(candidate.email);
  await expect(page.getByRole("heading", { name: "What happens next" })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Go to Home", exact: true }).click();
  await expect(page).toHaveURL("/");
});

test("[3A-01] every field is sent with its API name", async ({ page }, { workerIndex }) => {
  const candidate = newCandidate(workerIndex);
  await openForm(page);
  await fillForm(page, candidate);
  await page.getByLabel("Preferred role").selectOption("AIML");
  await form(page).getByLabel("LinkedIn").fill("www.linkedin.com/in/asha");
  await page.getByLabel("Keep them for later roles").check();
  await page.evaluate(() => {
    const send = XMLHttpRequest.prototype.send;
    XMLHttpRequest.prototype.send = function (body) {
      if (body instanceof FormData) {
        const entries = Array.from(body, ([name, value]) => [
          name,
          value instanceof File ? value.name : value,
        ]);
        Object.assign(window, { sentForm: Object.fromEntries(entries) });
      }
      send.call(this, body);
    };
  });
  const year = await page.getByLabel("Graduation year").inputValue();
  await submit(page).click();
  await expect(submitted(page)).toBeVisible();
  expect(await page.evaluate(() => Reflect.get(window, "sentForm"))).toEqual({
    name: candidate.name,
    email: candidate.email,
    mobile: candidate.phone,
    college: "NIT Surathkal",
    degree: "btech",
    passingYear: year,
    role: "AIML",
    experience: "0.5",
    linkedin: "https://www.linkedin.com/in/asha",
    motivation: candidate.motivation,
    jobid: "FE101",
    resume: "asha-rao.pdf",
    consentApplication: "true",
    consentLaterRoles: "true",
    noticeVersion: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
  });
});

test("[3A-02] [3A-03] [3A-04] [9A-04] degrees, roles and six graduation years are offered", async ({
  page,
}) => {
  await page.clock.setFixedTime("2026-12-31T20:00:00Z"); // 2027 in India
  await openForm(page);
  expect(await options(page, "Degree")).toEqual(["btech", "be", "bsc", "mtech", "mca", "other"]);
  expect(await options(page, "Preferred role")).toEqual([
    "frontend",
    "backend",
    "graphic",
    "marketing",
    "android",
    "fullstack",
    "contentwritter",
    "AIML",
  ]);
  expect(await options(page, "Graduation year")).toEqual(["2029", "2028", "2027", "2026", "2025", "2024"]);
});

test("[5A-01] [5A-02] an empty form is not sent: each missing answer is listed and linked", async ({
  page,
}) => {
  await openForm(page);
  const types = { Email: "email", Phone: "tel", "Years of experience": "number", LinkedIn: "url" };
  for (const [label, type] of Object.entries(types))
    await expect(form(page).getByLabel(label)).toHaveAttribute("type", type);
  let sent = false;
  page.on("request", (request) => {
    sent ||= request.url().includes("/api/apply/");
  });
  await submit(page).click();
  await expect(summary(page)).toBeFocused();
  await expect(page).toHaveTitle(/^Error: Apply for Frontend Intern/);
  const links = summary(page).getByRole("link");
  await expect(links).toHaveText([
    "Enter your full name.",
    "Enter your email.",
    "Enter your phone number.",
    "Enter your college.",
    "Choose your degree.",
    "Choose your graduation year.",
    "Enter your years of experience; 0 if you have none.",
    "Choose your resume.",
    "Tell us why you want this internship.",
    "Agree that we use your details for this application.",
  ]);
  await expect(page.getByLabel("Preferred role")).not.toHaveAttribute("aria-invalid");
  await expect(form(page).getByLabel("LinkedIn")).not.toHaveAttribute("aria-invalid");
  const controls = ["Full name", "Email", "Phone", "College", "Degree", "Graduation year"];
  const others = ["Years of experience", "Resume", "Why do you want", "may use these details"];
  for (const [at, label] of [...controls, ...others].entries()) {
    await links.nth(at).click();
    const control = form(page).getByLabel(label);
    await expect(control).toBeFocused();
    await expect(control).toHaveAttribute("aria-invalid", "true");
  }
  await expectAccessible(page);
  expect(sent).toBe(false);
});

test("[5A-03] [5A-04] [9A-02] the phone field accepts digits only, typed and pasted, and requires ten", async ({
  page,
}) => {
  await openForm(page);
  const phone = page.getByLabel("Phone");
  await phone.pressSequentially("98a4 5-01.2");
  await expect(phone).toHaveValue("9845012");
  await submit(page).click();
  const fault = summary(page).getByText("Enter a 10-digit phone number. This one has 7 digits.");
  await expect(fault).toBeVisible();
  await phone.fill("+91 98450-12345");
  await expect(phone).toHaveValue("9845012345");
  await expect(fault).toHaveCount(0);
  await phone.fill("984501234567");
  await expect(summary(page).getByText("This one has 12 digits.")).toBeVisible();
});

test("[5A-05] [9A-03] experience is a number from 0 to 50", async ({ page }) => {
  await openForm(page);
  const years = page.getByLabel("Years of experience");
  await expect(years).toHaveAttribute("min", "0");
  await expect(years).toHaveAttribute("max", "50");
  await years.fill("51");
  await submit(page).click();
  const fault = summary(page).getByText("Enter your years of experience as a number from 0 to 50.");
  await expect(fault).toBeVisible();
  await years.fill("50");
  await expect(fault).toHaveCount(0);
  await years.fill("-1");
  await expect(fault).toBeVisible();
});

test("[5A-06] [5A-07] [8E-04] [9A-01] a resume above 5 MB is rejected at once, one of 5 MB is accepted", async ({
  page,
}, { workerIndex }) => {
  const limit = 5 * 1024 * 1024;
  await openForm(page);
  const picker = page.getByLabel("Resume");
  await expect(picker).toHaveAttribute("accept", ".pdf,.doc,.docx");
  await picker.setInputFiles(pdf("large.pdf", limit + 1));
  const sizeError = page.getByRole("alert").filter({ hasText: "File size must be less than 5MB." });
  await expect(sizeError).toBeVisible();
  await picker.setInputFiles({ name: "photo.png", mimeType: "image/png", buffer: Buffer.from("x") });
  await expect(page.getByText("Choose a PDF, DOC or DOCX file.")).toBeVisible();
  await fillForm(page, newCandidate(workerIndex), pdf("whole.pdf", limit));
  await expect(sizeError).toHaveCount(0);
  await submit(page).click();
  await expect(receipt(page, "Resume")).toHaveText("whole.pdf, 5 MB", { timeout: 20_000 });
});

test("[5A-08] [9A-05] a hundred words are suggested and counted, and fewer are accepted", async ({ page }, {
  workerIndex,
}) => {
  await openForm(page);
  const field = page.getByLabel("Why do you want this internship?");
  await expect(field).toHaveAttribute("placeholder", /at least 100 words/);
  const wordCounter = page.getByRole("status", { name: "Words" });
  await expect(wordCounter).toHaveText("0 of 100 words");
  await fillForm(page, { ...newCandidate(workerIndex), motivation: "Books that tally - always." });
  await expect(wordCounter).toHaveText("4 of 100 words");
  await submit(page).click();
  await expect(submitted(page)).toBeVisible();
});

test("[2T-05] the terms are linked, the privacy notice is readable, and no consent is preselected", async ({
  page,
}) => {
  await openForm(page);
  await expect(page.getByLabel("may use these details for this application")).not.toBeChecked();
  await expect(page.getByLabel("Keep them for later roles")).not.toBeChecked();
  await page.getByText("What happens to your data").click();
  await expect(form(page).getByText(/application and resume are deleted/)).toBeVisible();
  const opened = page.waitForEvent("popup");
  await form(page).getByRole("link", { name: "terms and conditions" }).click();
  const terms = await opened;
  await expect(terms).toHaveURL("/terms-and-conditions");
  await expect(terms.getByRole("heading", { level: 1, name: "Terms and Conditions" })).toBeVisible();
});

test("applying works with the keyboard only", async ({ page }, { workerIndex }) => {
  const candidate = newCandidate(workerIndex);
  const { keyboard } = page;
  // Registered at the start, because the browser needs a moment to report a file chooser.
  const chooser = new Promise<FileChooser>((resolve) => page.once("filechooser", resolve));
  await page.goto("/careers");
  for (const name of ["Frontend Intern", "Apply Now"]) {
    const link = page.getByRole("link", { name, exact: true }).first();
    await expect(link).toBeVisible();
    await link.focus();
    await keyboard.press("Enter");
    await expect(page).toHaveURL(name === "Apply Now" ? "/apply/FE101" : "/job-description/FE101");
    // Wait until the new page has focused its heading.
    await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
  }
  await waitForForm(page);
  await page.getByRole("heading", { level: 1 }).focus();
  const next = async (label: string) => {
    await keyboard.press("Tab");
    await expect(form(page).getByLabel(label)).toBeFocused();
  };
  await next("Full name");
  await keyboard.type(candidate.name);
  await next("Email");
  await keyboard.type(candidate.email);
  await next("Phone");
  await keyboard.type(candidate.phone);
  await next("College");
  await keyboard.type("NIT Surathkal");
  await next("Degree");
  await keyboard.type("B.T");
  await next("Graduation year");
  await keyboard.press("ArrowDown");
  await next("Years of experience");
  await keyboard.type("0");
  await next("Preferred role");
  await next("LinkedIn");
  await next("Resume");
  await keyboard.press("Enter");
  await (await chooser).setFiles(pdf());
  await expect(page.getByText("asha-rao.pdf")).toBeVisible();
  await page.getByLabel("Resume").focus();
  await keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Remove asha-rao.pdf" })).toBeFocused();
  await next("Why do you want this internship?");
  await keyboard.type(candidate.motivation);
  await keyboard.press("Tab");
  await expect(page.getByText("What happens to your data")).toBeFocused();
  await next("may use these details");
  await keyboard.press("Space");
  await next("Keep them for later roles");
  await keyboard.press("Tab");
  await expect(form(page).getByRole("link", { name: "terms and conditions" })).toBeFocused();
  await keyboard.press("Tab");
  await expect(submit(page)).toBeFocused();
  await keyboard.press("Enter");
  await expect(submitted(page)).toBeFocused();
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`the form is accessible in ${colorScheme}, also on a narrow phone`, async ({ page, expectedErrors }, {
    workerIndex,
  }) => {
    expectedErrors.push(/status of 507/);
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 320, height: 640 });
    await openForm(page);
    await submit(page).click();
    await expect(summary(page)).toBeVisible();
    await page.getByText("What happens to your data").click();
    await expectAccessible(page);
    await fillForm(page, newCandidate(workerIndex));
    await page.route("**/api/apply/FE101", (route) => route.fulfill(problem(507, "storage_full")));
    await submit(page).click();
    await expect(alert(page)).toBeVisible();
    await expectAccessible(page);
    await page.unroute("**/api/apply/FE101");
    await submit(page).click();
    await expect(submitted(page)).toBeVisible();
    await expectAccessible(page);
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  });
}

test("on a narrow phone no hint and no error touches the control above", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await openForm(page);
  await submit(page).click();
  await expect(summary(page)).toBeVisible();
  const names = [
    "name",
    "email",
    "mobile",
    "college",
    "degree",
    "passingYear",
    "experience",
    "role",
    "linkedin",
  ];
  const gaps = await page.evaluate((ids) => {
    const box = (selector: string) => document.querySelector(selector)?.getBoundingClientRect();
    return ids
      .slice(1)
      .map((id, index) => (box(`label[for=${id}]`)?.top ?? 0) - (box(`#${ids[index]}`)?.bottom ?? 0));
  }, names);
  for (const [index, gap] of gaps.entries()) expect(gap, names[index + 1]).toBeGreaterThanOrEqual(9.5);
});

test("on a small phone the form works and every target is large enough", async ({ page }, {
  workerIndex,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  const phone = await page.context().newCDPSession(page);
  await phone.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await openForm(page, "AI101");
  const controls = form(page).locator(
    "input:not([type=checkbox]):not([type=file]), select, textarea, button, summary, label:has([type=checkbox])",
  );
  for (const control of await controls.all()) {
    const box = await control.boundingBox();
    expect(box?.height ?? 0, await control.evaluate((element) => element.outerHTML)).toBeGreaterThanOrEqual(
      44,
    );
  }
  await fillAnswers(page, newCandidate(workerIndex));
  await page.getByLabel("Resume").setInputFiles(pdf("a-very-long-name-of-a-resume-that-goes-on-and-on.pdf"));
  await page.getByText("may use these details for this application").click();
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  await submit(page).click();
  await expect(submitted(page)).toBeVisible();
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
});
