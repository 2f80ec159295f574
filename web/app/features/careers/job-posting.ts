import type { Opening } from "#content/openings.ts";
import { SITE } from "#content/site.ts";
import type { Schemas } from "#lib/api.ts";
import type { JsonLd } from "#lib/json-ld.ts";

type Job = Schemas["JobDescription"];

/** Returns the JobPosting structured data that Google for Jobs requires. Only for the page of the job, which shows it. */
export function jobPosting(job: Job, salary: Opening["salary"]): JsonLd {
  return {
    "@context": "https://schema.org",
    "@type": "JobPosting",
    title: job.Title,
    description: description(job),
    datePosted: job.Posting_Date,
    // The end of the last date, in India.
    validThrough: `${job.LastDate}T23:59:59+05:30`,
    employmentType: "INTERN",
    hiringOrganization: {
      "@type": "Organization",
      name: SITE.name,
      sameAs: `${SITE.origin}/`,
      logo: `${SITE.origin}/icons/icon-512.png`,
    },
    identifier: { "@type": "PropertyValue", name: SITE.name, value: job.JobID },
    ...jobLocation(job),
    baseSalary: {
      "@type": "MonetaryAmount",
      currency: "INR",
      value: {
        "@type": "QuantitativeValue",
        ...(salary.min === salary.max
          ? { value: salary.min }
          : { minValue: salary.min, maxValue: salary.max }),
        unitText: "MONTH",
      },
    },
    totalJobOpenings: job.Seats,
    directApply: true,
    url: `${SITE.origin}/job-description/${job.JobID}`,
  };
}

/** A remote job has a country instead of a location; a hybrid job has a location. */
function jobLocation({ Location, WorkMode }: Job): Record<string, unknown> {
  if (WorkMode === "remote") {
    return {
      jobLocationType: "TELECOMMUTE",
      applicantLocationRequirements: { "@type": "Country", name: "India" },
    };
  }
  const [addressLocality, addressRegion] = Location.split(", ");
  return {
    jobLocation: {
      "@type": "Place",
      address: { "@type": "PostalAddress", addressLocality, addressRegion, addressCountry: "IN" },
    },
  };
}

/** Returns the full description as HTML with paragraphs and lists only. */
function description(job: Job): string {
  return [
    paragraph(job.Aboutus),
    paragraph(`Tech stack: ${job.TechStack.join(", ")}`),
    paragraph(job.Experience),
    list("Key skills and requirements", job.KeySkillsandRequirements.Technical),
    ...Object.entries(job.KeyResponsibilities).map(([heading, items]) => list(heading, items)),
    list("Perks and benefits", job.PerksandBenefits),
    paragraph(`Stipend: ${job.Stipend}. Duration: ${job.Duration}.`),
  ].join("");
}

function paragraph(text: string): string {
  return `<p>${escapeHtml(text)}</p>`;
}

function list(heading: string, items: readonly string[]): string {
  return `${paragraph(heading)}<ul>${items.map((item) => `<li>${escapeHtml(item)}</li>`).join("")}</ul>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
