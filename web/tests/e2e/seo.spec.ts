import type { APIRequestContext } from "@playwright/test";
import { expect, test } from "./test-fixtures.ts";

const ORIGIN = "https://tradebahi.example";
/** Pages with noindex: forms, receipts, and private or unfinished pages. */
const HIDDEN = [
  "/login",
  "/signup",
  "/successreg",
  "/logout",
  "/dashboard",
  "/add-new-trades",
  "/success",
  "/coming-soon",
  "/apply/FE101",
  "/application",
  "/shared-tax-pack",
];
/** The pages of the openings, each with a JobPosting. */
const JOBS = ["FE101", "BE101", "AD101", "FS101", "CW101", "MK101", "AI101", "GD101"];
/** Required properties of structured data, by type. */
const REQUIRED: Record<string, string[]> = {
  Organization: ["name", "url", "logo"],
  SoftwareApplication: ["name", "offers.price", "applicationCategory", "aggregateRating.ratingCount"],
  FAQPage: ["mainEntity.0.name", "mainEntity.0.acceptedAnswer.text"],
  BreadcrumbList: ["itemListElement.0.name", "itemListElement.0.item"],
  JobPosting: [
    "title",
    "description",
    "datePosted",
    "validThrough",
    "employmentType",
    "hiringOrganization.name",
    "identifier.value",
    "baseSalary.value.unitText",
    "directApply",
  ],
};

async function sitemap(request: APIRequestContext): Promise<string[]> {
  const reply = await request.get("/sitemap.xml");
  expect(reply.headers()["content-type"]).toContain("xml");
  const xml = await reply.text();
  const entries = Array.from(xml.matchAll(/<url><loc>([^<]+)<\/loc><lastmod>(\d{4}-\d\d-\d\d)<\/lastmod>/g));
  expect(entries.length).toBe(xml.match(/<loc>/g)?.length);
  return entries.map(([, address = ""]) => {
    expect(address).toMatch(new RegExp(`^${ORIGIN}/`));
    return address.slice(ORIGIN.length);
  });
}

/** Returns the first group of each match with HTML entities decoded. */
function all(html: string, pattern: RegExp): string[] {
  return Array.from(html.matchAll(pattern), ([, text = ""]) =>
    text.replaceAll("&#x27;", "'").replaceAll("&quot;", '"').replaceAll("&amp;", "&"),
  );
}

function valueAt(thing: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], thing);
}

test("the sitemap lists exactly the indexed pages", async ({ request }) => {
  const paths = await sitemap(request);
  expect(paths).toEqual(expect.arrayContaining(["/", "/about-us", "/careers", "/terms-and-conditions"]));
  expect(paths).toEqual(expect.arrayContaining(JOBS.map((id) => `/job-description/${id}`)));
  expect(new Set(paths).size).toBe(paths.length);
  for (const path of HIDDEN) {
    expect(paths).not.toContain(path);
    expect(await (await request.get(path)).text(), path).toContain('name="robots" content="noindex"');
  }
  const robots = await (await request.get("/robots.txt")).text();
  expect(robots).toContain(`Sitemap: ${ORIGIN}/sitemap.xml`);
  // Noindex pages must not be in robots.txt, otherwise crawlers cannot read noindex.
  for (const path of HIDDEN) expect(robots).not.toContain(path);
});

test("[S13] security.txt names a contact and has not expired", async ({ request }) => {
  const path = "/.well-known/security.txt";
  const reply = await request.get(path);
  expect(reply.headers()["content-type"]).toBe("text/plain; charset=utf-8");
  const fields = new Map(
    (await reply.text())
      .trim()
      .split("\n")
      .map((line) => line.split(": ") as [string, string]),
  );
  expect(fields.get("Contact")).toMatch(/^mailto:.+@.+/);
  expect(fields.get("Canonical")).toBe(ORIGIN + path);
  const days = (Date.parse(fields.get("Expires") ?? "") - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(0);
  expect(days).toBeLessThan(366);
});

test("each page of the sitemap has its own title, description and canonical URL without JavaScript", async ({
  request,
}) => {
  const titles = new Set<string>();
  const descriptions = new Set<string>();
  const paths = await sitemap(request);
  for (const path of paths) {
    const html = await (await request.get(path, { headers: { Accept: "text/html" } })).text();
    const [title = "", ...others] = all(html, /<title>([^<]*)<\/title>/g);
    expect(others, path).toEqual([]);
    expect(title.length, `${path}: ${title}`).toBeLessThanOrEqual(60);
    const [description = ""] = all(html, /<meta name="description" content="([^"]*)"/g);
    expect(description.length, `${path}: ${description}`).toBeLessThanOrEqual(155);
    expect(description.length, path).toBeGreaterThan(50);
    titles.add(title);
    descriptions.add(description);

    expect(all(html, /<link rel="canonical" href="([^"]*)"/g), path).toEqual([ORIGIN + path]);
    expect(all(html, /<meta property="og:url" content="([^"]*)"/g), path).toEqual([ORIGIN + path]);
    expect(html.match(/<h1[\s>]/g), path).toHaveLength(1);
    const words = html
      .replace(/<(script|style)[\s\S]*?<\/\1>/g, "")
      .replace(/<[^>]+>/g, " ")
      .split(/\s+/);
    expect(words.length, path).toBeGreaterThan(150);
    expect(html, path).not.toMatch(/<template|hidden id="S:/);
  }
  expect(titles.size).toBe(paths.length);
  expect(descriptions.size).toBe(paths.length);
});

test("[9S-01] [9S-02] structured data is valid and complete, and its texts are on the page", async ({
  request,
}) => {
  const kinds = new Map<string, Record<string, unknown>[]>();
  for (const path of await sitemap(request)) {
    const html = await (await request.get(path, { headers: { Accept: "text/html" } })).text();
    for (const [, text = ""] of html.matchAll(/<script type="application\/ld\+json">([^<]*)<\/script>/g)) {
      const thing = JSON.parse(text);
      expect(thing["@context"]).toBe("https://schema.org");
      const required = REQUIRED[thing["@type"]];
      expect(required, `${path}: ${thing["@type"]}`).toBeDefined();
      for (const field of required ?? []) expect(valueAt(thing, field), `${path}: ${field}`).toBeDefined();
      kinds.set(thing["@type"], [...(kinds.get(thing["@type"]) ?? []), thing]);
      if (thing["@type"] === "SoftwareApplication") {
        expect(path).toBe("/");
        expect(thing.offers).toMatchObject({ price: 0, priceCurrency: "INR" });
        expect(thing.aggregateRating).toMatchObject({ ratingValue: 4.8, ratingCount: 1245 });
        expect(html).toContain("1,245");
      }
      if (thing["@type"] === "JobPosting") {
        expect(path).toBe(`/job-description/${thing.identifier.value}`);
        // A location, or a country for a remote job.
        expect(Boolean(thing.jobLocation), path).not.toBe(thing.jobLocationType === "TELECOMMUTE");
        const lastDate = thing.validThrough.slice(0, 10);
        expect(html.toLowerCase().includes(`datetime="${lastDate}"`), `${path}: ${lastDate}`).toBe(true);
        expect(thing.description.length).toBeGreaterThan(1_000);
      }
    }
  }
  expect(kinds.get("SoftwareApplication")).toHaveLength(1);
  expect(kinds.get("JobPosting")).toHaveLength(JOBS.length);
  expect(kinds.has("Organization")).toBe(true);
  expect(kinds.has("BreadcrumbList")).toBe(true);
});

test("each page has its own image for sharing", async ({ request }) => {
  for (const path of await sitemap(request)) {
    const html = await (await request.get(path, { headers: { Accept: "text/html" } })).text();
    const [image = ""] = all(html, /<meta property="og:image" content="([^"]*)"/g);
    expect(image).toMatch(new RegExp(`^${ORIGIN}/og/`));
    const reply = await request.get(image.slice(ORIGIN.length));
    expect(reply.headers()["content-type"], image).toBe("image/png");
    const bytes = await reply.body();
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], image).toEqual([1200, 630]);
    expect(bytes.length, image).toBeLessThanOrEqual(60_000);
  }
});

test("the app can be installed on a phone", async ({ request }) => {
  const html = await (await request.get("/")).text();
  expect(html).toContain('rel="manifest" href="/site.webmanifest"');
  expect(html).toContain('rel="apple-touch-icon"');
  expect(html.match(/name="theme-color"/g)).toHaveLength(2);
  const reply = await request.get("/site.webmanifest");
  expect(reply.headers()["content-type"]).toBe("application/manifest+json");
  const manifest = await reply.json();
  expect(manifest).toMatchObject({ display: "standalone", start_url: "/dashboard", scope: "/" });
  const kinds = new Set<string>();
  for (const { src, sizes, purpose } of manifest.icons) {
    const bytes = await (await request.get(src)).body();
    expect(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`, src).toBe(sizes);
    kinds.add(`${purpose} ${sizes}`);
  }
  expect(kinds).toEqual(new Set(["any 192x192", "any 512x512", "maskable 192x192", "maskable 512x512"]));
});
