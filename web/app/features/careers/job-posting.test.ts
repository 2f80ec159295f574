import { expect, test } from "vitest";
import { OPENINGS } from "#content/openings.ts";
import { readJobDescription } from "#features/careers/job-description-files.ts";
import { jobPosting } from "./job-posting.ts";

function posting(id: string) {
  const job = readJobDescription(id);
  const card = OPENINGS.find((opening) => opening.id === id);
  if (!job || !card) throw new Error(`no ${id}`);
  return jobPosting(job, card.salary);
}

test("a posting has everything that Google for Jobs requires", () => {
  for (const { id, title, salary, last_date, posted_on } of OPENINGS) {
    const thing = posting(id);
    expect(thing).toMatchObject({
      title,
      datePosted: posted_on,
      validThrough: `${last_date}T23:59:59+05:30`,
      employmentType: "INTERN",
      directApply: true,
      hiringOrganization: { name: "TradeBahi" },
      identifier: { value: id },
    });
    expect(Date.parse(String(thing.validThrough))).toBeGreaterThan(Date.parse(posted_on));
    const { value, minValue, maxValue, unitText } = (
      thing.baseSalary as { value: Record<string, number | string> }
    ).value;
    expect([minValue ?? value, maxValue ?? value, unitText]).toEqual([salary.min, salary.max, "MONTH"]);
  }
});

test("a job has either a location or a country for remote work", () => {
  expect(posting("FE101")).toMatchObject({
    jobLocation: {
      address: { addressLocality: "Bengaluru", addressRegion: "Karnataka", addressCountry: "IN" },
    },
  });
  expect(posting("FE101")).not.toHaveProperty("jobLocationType");
  expect(posting("CW101")).toMatchObject({
    jobLocationType: "TELECOMMUTE",
    applicantLocationRequirements: { "@type": "Country", name: "India" },
  });
  expect(posting("CW101")).not.toHaveProperty("jobLocation");
});

test("the description is complete and escaped", () => {
  const job = readJobDescription("FE101");
  if (!job) throw new Error("no FE101");
  const withMarkup = { ...job, PerksandBenefits: ["<script>alert(1)</script> & tea"] };
  const text = String(jobPosting(withMarkup, { min: 1, max: 1 }).description);
  expect(text).toContain("<li>&lt;script&gt;alert(1)&lt;/script&gt; &amp; tea</li>");
  for (const skill of job.KeySkillsandRequirements.Technical) {
    expect(text).toContain(skill.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"));
  }
});
