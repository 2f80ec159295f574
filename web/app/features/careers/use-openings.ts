import { OPENINGS, type Opening } from "#content/openings.ts";
import { useToday } from "#lib/use-today.ts";

/** Returns the openings that accept applications today. The prerendered page may list some that have closed since. */
export function useOpenings(): readonly Opening[] {
  const today = useToday();
  return OPENINGS.filter(({ last_date }) => today === undefined || today <= last_date);
}
