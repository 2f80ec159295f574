import { useIsFetching } from "@tanstack/react-query";
import { type RefObject, useEffect, useRef } from "react";
import { useLocation } from "react-router";

/**
 * Scrolls to a section and focuses its heading when a link to its anchor is followed, even a second time. Waits until
 * no query is loading, because content above the section would push it out of sight again.
 */
export function useScrollToSection(id: string, ready: boolean): RefObject<HTMLDivElement | null> {
  const { hash, key } = useLocation();
  const settled = useIsFetching() === 0;
  const section = useRef<HTMLDivElement>(null);
  const handledKey = useRef("");
  useEffect(() => {
    // Each navigation has its own key.
    if (hash !== `#${id}` || !ready || !settled || handledKey.current === key) return;
    handledKey.current = key;
    section.current?.scrollIntoView();
    section.current?.querySelector("h2")?.focus({ preventScroll: true });
  }, [hash, key, id, ready, settled]);
  return section;
}
