import { OPENINGS, type Opening } from "#content/openings.ts";
import type { Schemas } from "#lib/api.ts";

type OpeningFile = Opening & {
  about_us: string;
  experience: string;
  tech_stack: string[];
  technical_skills: string[];
  responsibilities: { heading: string; items: string[] }[];
  perks_and_benefits: string[];
};

/** Read at build time only: in the browser the text comes with the page or from the server. */
const FILES = import.meta.env.SSR
  ? import.meta.glob<OpeningFile>("../../../../crates/careers/openings/*.json", {
      eager: true,
      import: "default",
    })
  : {};

/** Returns the job description of an opening in the form of the API response. */
export function readJobDescription(jobid: string): Schemas["JobDescription"] | undefined {
  const file = Object.values(FILES).find(({ id }) => id === jobid);
  const card = OPENINGS.find(({ id }) => id === jobid);
  if (!file || !card) return undefined;
  return {
    Title: card.title,
    JobID: card.id,
    Location: card.location,
    Duration: card.duration,
    Posting_Date: card.posted_on,
    Aboutus: file.about_us,
    TechStack: file.tech_stack,
    Experience: file.experience,
    KeySkillsandRequirements: { Technical: file.technical_skills },
    KeyResponsibilities: Object.fromEntries(
      file.responsibilities.map(({ heading, items }) => [heading, items]),
    ),
    PerksandBenefits: file.perks_and_benefits,
    Department: card.department,
    Stipend: card.stipend,
    WorkMode: card.work_mode,
    Seats: card.seats,
    LastDate: card.last_date,
  };
}
