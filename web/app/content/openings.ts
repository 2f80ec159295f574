/** The data of an opening that is built into the pages: a part of its file, see opening-cards.ts. */
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
  /** Rupees per month. */
  salary: { min: number; max: number };
  seats: number;
  /** Dates in India; applications are open until the end of the last date. */
  posted_on: string;
  last_date: string;
};

const FILES = import.meta.glob<Opening>("../../../crates/careers/openings/*.json", {
  eager: true,
  query: "?card",
  import: "default",
});

/** All openings in the order in which the site shows them. */
export const OPENINGS: readonly Opening[] = Object.values(FILES).sort(
  (one, other) => one.order - other.order,
);

export function findOpening(id: string | undefined): Opening | undefined {
  return OPENINGS.find((opening) => opening.id === id);
}

/** Returns the city and work mode, such as "Bengaluru, hybrid". */
export function openingLocation({ location, work_mode }: Pick<Opening, "location" | "work_mode">): string {
  const [city = location] = location.split(",");
  if (work_mode === "remote") return `${city}, remote`;
  return `${city}, ${work_mode === "onsite" ? "on site" : "hybrid"}`;
}
