import { useEffect, useState } from "react";
import { istDate } from "#lib/format.ts";

/** Returns the current date in India, such as `2026-11-20`; undefined in the prerendered page. */
export function useToday(): string | undefined {
  const [today, setToday] = useState<string>();
  useEffect(() => setToday(istDate(new Date().toISOString())), []);
  return today;
}
