import { useEffect, useRef } from "react";

/** A page that has turned into another one under the same address: the focus goes to its new heading. */
export function useNewHeading(state: string): void {
  const shown = useRef(state);
  useEffect(() => {
    if (shown.current === state) return;
    shown.current = state;
    document.querySelector<HTMLElement>("main h1[tabindex='-1']")?.focus();
  }, [state]);
}
