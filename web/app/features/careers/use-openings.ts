import { OPENINGS, type Opening } from "#content/openings.ts";
import { useToday } from "#lib/use-today.ts";

/** Those that one can apply for. The page was built some days ago: what has closed since leads nowhere, and goes. */
export function useOpenings(): readonly Opening[] {
  const today = useToday();
  return OPENINGS.filter(({ last_date }) => today === undefined || today <= last_date);
}
