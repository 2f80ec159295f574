import { useEffect, useState } from "react";
import { istDate } from "#lib/format.ts";

/** The day that it is in India, such as `2026-11-20`; undefined in the page as it was built. */
export function useToday(): string | undefined {
  const [today, setToday] = useState<string>();
  useEffect(() => setToday(istDate(new Date().toISOString())), []);
  return today;
}
