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

const GRADUATION_YEAR_COUNT = 6;

/** Lists the graduation years to choose from, starting two years after `today`, a date such as `2026-11-20`. */
export function graduationYears(today: string): Choice<string>[] {
  const last = Number(today.slice(0, 4)) + 2;
  return Array.from({ length: GRADUATION_YEAR_COUNT }, (_, back) => {
    const year = String(last - back);
    return { value: year, label: year };
  });
}

/** Suggested length of the motivation in words; shorter texts are accepted. */
export const SUGGESTED_MOTIVATION_LENGTH = 100;
