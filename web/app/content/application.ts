import type { Schemas } from "#lib/api.ts";

type Choice<Value> = { value: Value; label: string };

export const DEGREES: readonly Choice<Schemas["Degree"]>[] = [
  { value: "btech", label: "B.Tech" },
  { value: "be", label: "B.E." },
  { value: "bsc", label: "B.Sc" },
  { value: "mtech", label: "M.Tech" },
  { value: "mca", label: "MCA" },
  { value: "other", label: "Other" },
];

export const ROLES: readonly Choice<Schemas["Role"]>[] = [
  { value: "frontend", label: "Frontend Internship" },
  { value: "backend", label: "Backend Internship" },
  { value: "graphic", label: "Graphic Design Internship" },
  { value: "marketing", label: "Marketing Internship" },
  { value: "android", label: "Android Internship" },
  { value: "fullstack", label: "Full-Stack Internship" },
  { value: "contentwritter", label: "Content Writer Internship" },
  { value: "AIML", label: "AI and ML Internship" },
];

const YEARS = 6;

/** Of graduation: from two years after this one downwards. `today` is a day such as `2026-11-20`. */
export function graduationYears(today: string): Choice<string>[] {
  const last = Number(today.slice(0, 4)) + 2;
  return Array.from({ length: YEARS }, (_, back) => {
    const year = String(last - back);
    return { value: year, label: year };
  });
}

/** What the motivation should have; it may have fewer. */
export const MOTIVATION_WORDS = 100;
