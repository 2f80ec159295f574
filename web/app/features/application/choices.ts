import type { Schemas } from "#lib/api.ts";
import formChoices from "../../../../crates/careers/form-choices.json";

type Choice<Value> = { value: Value; label: string };

// The server validates and labels with the same file. `npm run typecheck` cannot know its values; a test compares them.
export const DEGREES = formChoices.degrees as readonly Choice<Schemas["Degree"]>[];

export const ROLES = formChoices.roles as readonly Choice<Schemas["Role"]>[];

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
