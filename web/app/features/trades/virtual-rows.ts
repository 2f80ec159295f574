import { useEffect, useState } from "react";

/** Returns the pixels of one rem, for the virtual lists: rows grow with the font size of the browser. */
export function useRem(): number {
  const [rem, setRem] = useState(16);
  useEffect(() => setRem(Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16), []);
  return rem;
}

/** Rows rendered above and below the visible ones. */
export const OVERSCAN = 8;
/** Rows below the visible ones that are loaded before the trader scrolls there. */
export const PRELOADED_ROWS = 250;
