import type { APIRequestContext, Page } from "@playwright/test";
import type { components } from "#lib/api-schema.d.ts";
import { expect, expectAccessible, holdRequests, test } from "./test-fixtures.ts";

type Job = components["schemas"]["JobDescription"];

const OPENINGS = [
  ["FE101", "Frontend Intern", "Engineering", "React, JavaScript, TailwindCSS"],
  ["BE101", "Backend Intern", "Engineering", "Node.js, Express, MongoDB"],
  ["AD101", "Android Development Intern", "Engineering", "Flutter, React-Native, Android Studio"],
  ["FS101", "Full-Stack Intern", "Engineering", "React, Nodejs, Devops"],
  ["CW101", "Content Writer Intern", "Marketing", "Blogging, Copy Writing, SEO"],
  ["MK101", "Marketing Intern", "Marketing", "Analytics, Social Media, SEO"],
  [
    "AI101",
    "Artificial Intelligence Intern",
    "Research and Development",
    "Python, Machine Learning, Data Science",
  ],
  ["GD101", "Graphic Designer Intern", "Designing", "Photoshop, Figma/Canva, Creativity"],
] as const;

const STEPS = [
  [
    "Initial Discussion",
    "A brief chat on your experience and aspirations.",
    ["Experience overview", "Career goals", "Brief technical discussion", "Role expectations alignment"],
  ],
  [
    "Technical Round",
    "You solve a problem with us and talk through your choices.",
    [
      "Technical problem solving",
      "System design discussion",
      "Code review and methodology",
      "Best practices and patterns",
    ],
  ],
  [
    "Team Round",
    "You meet the people you would work with every day.",
    [
      "Team culture alignment",
      "Collaborative problem solving",
      "Team-specific discussions",
      "Day-to-day responsibilities",
    ],
  ],
  [
    "Final Discussion",
    "The offer and the next steps.",
    ["Benefits overview", "Start date planning", "Documentation requirements"],
  ],
] as const;

const openings = (page: Page) => page.getByRole("region", { name: "Current Job Openings At TradeBahi" });
const spinner = (page: Page) => page.getByRole("status").filter({ hasText: "Loading the job description" });

/** Returns a link once the app handles it; before hydration the browser would reload the page. */
async function follow(page: Page, name: string) {
  const link = page.getByRole("link", { name, exact: true });
  await expect
    .poll(() =>
      link.evaluate((element) => Object.keys(element).some((key) => key.startsWith("__reactProps"))),
    )
    .toBe(true);
  await link.click();
}

async function askFor(request: APIRequestContext, id: string): Promise<Job> {
  const reply = await request.get(`/api/job-description/${id}`);
  expect(reply.status()).toBe(200);
  return reply.json();
}

test("[0A-03] [1C-01] [1C-02] [1C-03] [2C-01] [2C-02] the careers page links to its openings and to About Us", async ({
  page,
}) => {
  await page.goto("/careers");
  await expect(page.getByText(/Paid internships/)).toBeVisible();
  for (const name of [
    "Current Job Openings At TradeBahi",
    "Simple & Transparent Recruitment Process",
    "Why Join TradeBahi?",
  ]) {
    await expect(page.getByRole("region", { name, exact: true })).toBeVisible();
  }
  await expect(openings(page).getByRole("heading", { level: 2 })).not.toBeInViewport();
  await page.getByRole("link", { name: "View Open Positions", exact: true }).click();
  await expect(openings(page).getByRole("heading", { level: 2 })).toBeInViewport();
  await page.getByRole("link", { name: "Explore More", exact: true }).click();
  await expect(page).toHaveURL("/about-us");
});

test("[2C-03] [2C-04] [2C-05] [2C-06] [3J-01] [3J-02] [3J-03] [3J-04] [3J-05] [3J-06] [3J-07] [3J-08] [3J-09] [9C-01] eight cards show the openings", async ({
  page,
}) => {
  await page.goto("/careers");
  await expect(openings(page).getByText("OPPORTUNITIES", { exact: true })).toBeVisible();
  const heading = openings(page).getByRole("heading", { level: 2 });
  await expect(heading).toHaveText("Current Job Openings At TradeBahi");
  const cards = openings(page).locator(".ruled-grid > li");
  await expect(cards.getByRole("heading", { level: 3 })).toHaveText(OPENINGS.map(([, title]) => title));
  for (const [id, title, department, skills] of OPENINGS) {
    const card = cards.filter({ has: page.getByRole("heading", { name: title, exact: true }) });
    await expect(card.getByText(department, { exact: true })).toBeVisible();
    await expect(card.getByText(id, { exact: true })).toBeVisible();
    await expect(card.getByRole("list", { name: "Skills" }).getByRole("listitem")).toHaveText(
      skills.split(", "),
    );
    for (const fact of ["Stipend", "Location", "Duration", "Last date"])
      await expect(card.getByRole("term").filter({ hasText: fact })).toBeVisible();
  }
});

test("[2C-07] [4R-02] [2J-03] a click anywhere on a card opens its job", async ({ page }) => {
  await page.goto("/careers");
  const cards = openings(page).locator(".ruled-grid > li");
  await expect(cards).toHaveCount(OPENINGS.length);
  for (const [at, [id, title]] of OPENINGS.entries()) {
    const card = cards.nth(at);
    await expect(card.getByRole("link")).toHaveAttribute("href", `/job-description/${id}`);
    const box = await card.boundingBox();
    // Far from the title, at the end of the last fact.
    await card.click({ position: { x: (box?.width ?? 0) - 8, y: (box?.height ?? 0) - 8 } });
    await expect(page).toHaveURL(`/job-description/${id}`);
    await expect(page.getByRole("heading", { level: 1, name: title, exact: true })).toBeVisible();
    await page.goBack();
  }
});

test("a navigation to a page with structured data violates no policy", async ({ page }) => {
  const reports: (string | null)[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/api/csp-report")) reports.push(request.postData());
  });
  await page.goto("/careers");
  await page.locator('a[href="/job-description/FE101"]').first().click();
  await expect(page.getByRole("heading", { level: 1, name: "Frontend Intern" })).toBeVisible();
  // React renders the script elements of the page as HTML text.
  await expect(page.locator('script[type="application/ld+json"]').first()).toBeAttached();
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Home" }).click();
  await expect(page).toHaveURL("/");
  await expect(page.locator('script[type="application/ld+json"]').first()).toBeAttached();
  expect(reports).toEqual([]);
});

test("an opening that closed after the build is not listed", async ({ page }) => {
  await page.clock.setFixedTime("2027-04-02T06:00:00Z");
  await page.goto("/careers");
  await expect(openings(page).getByText("There are no openings today.")).toBeVisible();
  await expect(openings(page).getByRole("link")).toHaveCount(0);
  await expect(page.getByRole("table", { name: "Open now" })).toHaveCount(0);
});

test("[2C-08] [2C-09] [3R-01] [4R-01] [9R-01] [9R-02] [9R-03] [9R-04] [9R-05] the process has four steps in order, of 30 mins each", async ({
  page,
}) => {
  await page.goto("/careers");
  const heading = "Simple & Transparent Recruitment Process";
  const process = page.getByRole("region", { name: heading, exact: true });
  await expect(process.getByText("JOIN OUR TEAM", { exact: true })).toBeVisible();
  const cards = process.locator("ol > li");
  await expect(cards.getByRole("heading", { level: 3 })).toHaveText(STEPS.map(([title]) => title));
  for (const [at, [, description, details]] of STEPS.entries()) {
    const card = cards.nth(at);
    await expect(card.getByText(String(at + 1), { exact: true })).toBeVisible();
    await expect(card.getByText(description, { exact: true })).toBeVisible();
    await expect(card.getByRole("listitem")).toHaveText([...details]);
    await expect(card.getByText("30 mins", { exact: true })).toBeVisible();
  }
  await expect(process.getByText("2 hours", { exact: true })).toBeVisible();
});

test("[2J-01] [3D-01] [3D-02] [3D-03] [7C-03] a job page shows all data of the server", async ({
  page,
  request,
}) => {
  for (const [id] of OPENINGS) {
    const job = await askFor(request, id);
    await page.goto(`/job-description/${id}`);
    await expect(page.getByRole("heading", { level: 1, name: job.Title, exact: true })).toBeVisible();
    const article = page.getByRole("article");
    await expect(article).toContainText(job.Aboutus);
    await expect(article).toContainText(job.Experience);
    for (const text of [...job.TechStack, ...job.PerksandBenefits])
      await expect(article.getByText(text, { exact: true }).first()).toBeVisible();
    for (const [heading, items] of Object.entries(job.KeyResponsibilities)) {
      await expect(article.getByRole("heading", { level: 3, name: heading, exact: true })).toBeVisible();
      for (const item of items) await expect(article.getByText(item, { exact: true })).toBeVisible();
    }
    const facts = page.getByRole("complementary", { name: "At a glance" });
    for (const fact of [
      job.JobID,
      job.Department,
      job.Location,
      job.Duration,
      job.Stipend,
      String(job.Seats),
    ])
      await expect(facts.getByText(fact, { exact: true }).first()).toBeVisible();
    for (const day of [job.Posting_Date, job.LastDate])
      await expect(facts.locator(`time[datetime="${day}"]`)).toBeVisible();
  }
});

test("[3D-02] the first four skills are shown, the others on demand", async ({ page, request }) => {
  const { Technical } = (await askFor(request, "FE101")).KeySkillsandRequirements;
  expect(Technical.length).toBeGreaterThan(4);
  await page.goto("/job-description/FE101");
  for (const [at, skill] of Technical.entries())
    await expect(page.getByText(skill, { exact: true })).toBeVisible({ visible: at < 4 });
  await page.getByText(`Show ${Technical.length - 4} more`).click();
  for (const skill of Technical) await expect(page.getByText(skill, { exact: true })).toBeVisible();
  await page.getByText("Show less").click();
  await expect(page.getByText(Technical[4] ?? "", { exact: true })).toBeHidden();
});

test("[2J-02] Apply Now opens the form, at both ends of the page", async ({ page }) => {
  await page.goto("/job-description/FE101");
  const links = page.getByRole("link", { name: "Apply Now", exact: true });
  await expect(links).toHaveCount(2);
  await links.last().click();
  await expect(page).toHaveURL("/apply/FE101");
  await expect(page.getByRole("heading", { level: 1, name: "Apply for Frontend Intern" })).toBeFocused();
  await page.goBack();
  await links.first().click();
  await expect(page).toHaveURL("/apply/FE101");
});

test("the prerendered page contains the text of the server", async ({ request }) => {
  for (const [id] of OPENINGS) {
    const html = await (await request.get(`/job-description/${id}`)).text();
    const [, built = ""] = new RegExp(`id="job-${id}"[^>]*>([^<]*)<`).exec(html) ?? [];
    expect(JSON.parse(built)).toEqual(await askFor(request, id));
    // The text is in the page itself, without a placeholder.
    expect(html).not.toContain("Loading the job description");
    expect(html.match(/>Apply Now/g)).toHaveLength(2);
  }
});

test("[2J-04] [4J-01] a spinner is shown until the text has loaded, and none if it is prerendered", async ({
  page,
}) => {
  await page.goto("/careers");
  const release = await holdRequests(page, "**/api/job-description/FE101");
  await follow(page, "Frontend Intern");
  await expect(page.getByRole("heading", { level: 1, name: "Frontend Intern" })).toBeFocused();
  await expect(spinner(page)).toBeVisible();
  await expect(page.getByRole("heading", { name: "Key responsibilities" })).toBeHidden();
  release();
  await expect(page.getByRole("heading", { name: "Key responsibilities" })).toBeVisible();
  await expect(spinner(page)).toHaveCount(0);

  const later = await holdRequests(page, "**/api/job-description/BE101");
  await page.goto("/job-description/BE101");
  await expect(page.getByRole("heading", { name: "Key responsibilities" })).toBeVisible();
  await expect(spinner(page)).toHaveCount(0);
  later();
});

test("[4J-02] [8E-08] while the text cannot be loaded the spinner stays, with a message after a while, and it keeps retrying", async ({
  page,
  expectedErrors,
}) => {
  expectedErrors.push(/ERR_FAILED/);
  await page.clock.install();
  await page.goto("/careers");
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.route("**/api/job-description/*", (route) => route.abort("failed"));
  await follow(page, "Frontend Intern");
  await expect(spinner(page)).toBeVisible();
  await expect(page.getByText("Still trying.")).toBeHidden();
  await expect(page.getByRole("button", { name: "Retry" })).toBeHidden();
  await page.clock.runFor(8_100);
  await expect(page.getByText("Still trying.", { exact: true })).toBeVisible();
  await expect(spinner(page)).toBeVisible();
  await page.clock.resume();
  await expectAccessible(page);

  await page.unroute("**/api/job-description/*");
  await page.getByRole("button", { name: "Retry", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Key responsibilities" })).toBeVisible();
  await expect(page.getByText("Still trying.")).toHaveCount(0);
});

test("[4J-02] the text loads by itself once the server is back", async ({ page, expectedErrors }) => {
  expectedErrors.push(/ERR_FAILED/);
  await page.goto("/careers");
  let tries = 0;
  await page.route("**/api/job-description/FE101", (route) => {
    tries += 1;
    return tries <= 2 ? route.abort("failed") : route.continue();
  });
  await follow(page, "Frontend Intern");
  await expect(page.getByRole("heading", { name: "Key responsibilities" })).toBeVisible({ timeout: 15_000 });
});

test("[2J-05] the path without an id leads to the openings", async ({ page }) => {
  await page.goto("/job-description");
  await expect(page).toHaveURL("/careers");
  await expect(openings(page)).toBeVisible();
});

test("an unknown opening shows the 404 page with a link to the openings", async ({
  page,
  expectedErrors,
}) => {
  expectedErrors.push(/status of 404/);
  for (const path of ["/job-description/XX999", "/apply/XX999", "/job-description/fe101"]) {
    const reply = await page.goto(path);
    expect(reply?.status(), path).toBe(404);
    await expect(page.getByRole("heading", { level: 1, name: "Page Not Found" })).toBeVisible();
    await expect(page.getByRole("link", { name: "Go to Home" })).toHaveAttribute("href", "/");
    await page.getByRole("main").getByRole("link", { name: "See all openings" }).click();
    await expect(page).toHaveURL("/careers");
  }
});

test("the 404 page of an opening has that link without JavaScript too", async ({ request }) => {
  const reply = await request.get("/job-description/XX999");
  expect(reply.status()).toBe(404);
  // Browsers with JavaScript disabled by the test still ignore noscript elements.
  const [, shown] = /<noscript>(.*)<\/noscript>/.exec(await reply.text()) ?? [];
  expect(shown).toContain("If you were looking for a job opening, it may be closed.");
  expect(shown).toContain('<a href="/careers" class="link">See all openings</a>');
});

test("an opening that closes while the page is open becomes the 404 page", async ({
  page,
  expectedErrors,
}) => {
  expectedErrors.push(/status of 404/);
  await page.route("**/api/job-description/FE101", (route) =>
    route.fulfill({
      status: 404,
      contentType: "application/problem+json",
      json: {
        type: "about:blank",
        title: "Not Found",
        status: 404,
        detail: "Closed.",
        code: "opening_closed",
      },
    }),
  );
  await page.goto("/job-description/FE101");
  await expect(page.getByRole("heading", { level: 1, name: "Page Not Found" })).toBeVisible();
  await expect(page.getByRole("main").getByRole("link", { name: "See all openings" })).toBeVisible();
});

test("on a phone a job and its form can be opened without scrolling sideways", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto("/careers");
  const sideways = () => page.evaluate(() => document.documentElement.scrollWidth);
  await expect.poll(sideways).toBe(360);
  await page.getByRole("link", { name: "Content Writer Intern", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Key responsibilities" })).toBeVisible();
  await expect.poll(sideways).toBe(360);
  await page.getByRole("link", { name: "Apply Now", exact: true }).first().click();
  await expect(page.getByRole("heading", { name: "Apply for Content Writer Intern" })).toBeFocused();
  await expect.poll(sideways).toBe(360);
});
