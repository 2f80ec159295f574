import { useEffect, useState } from "react";

/** Pixels of one rem: rows grow with the reader's font size, and the virtual list has to know. */
export function useRem(): number {
  const [rem, setRem] = useState(16);
  useEffect(() => setRem(Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16), []);
  return rem;
}

/** Rows drawn beyond each edge of what is visible. */
export const OVERSCAN = 8;
/** Rows ahead of the visible ones that are loaded before anybody scrolls there. */
export const LEAD = 250;
