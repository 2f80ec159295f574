/** What the pages know of an opening without asking: a part of its file, see opening-cards.ts. */
export type Opening = {
  order: number;
  id: string;
  title: string;
  department: string;
  skills: readonly string[];
  location: string;
  work_mode: "onsite" | "hybrid" | "remote";
  duration: string;
  stipend: string;
  /** Rupees a month. */
  salary: { min: number; max: number };
  seats: number;
  /** Days in India, the last one counts. */
  posted_on: string;
  last_date: string;
};

const FILES = import.meta.glob<Opening>("../../../crates/careers/openings/*.json", {
  eager: true,
  query: "?card",
  import: "default",
});

/** All of them, in the order in which the site shows them. */
export const OPENINGS: readonly Opening[] = Object.values(FILES).sort(
  (one, other) => one.order - other.order,
);

export function openingOf(id: string | undefined): Opening | undefined {
  return OPENINGS.find((opening) => opening.id === id);
}

/** Such as "Bengaluru, hybrid". */
export function placeOf({ location, work_mode }: Pick<Opening, "location" | "work_mode">): string {
  const [city = location] = location.split(",");
  if (work_mode === "remote") return `${city}, remote`;
  return `${city}, ${work_mode === "onsite" ? "on site" : "hybrid"}`;
}
