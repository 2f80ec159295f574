import { useIsFetching } from "@tanstack/react-query";
import { type RefObject, useEffect, useRef } from "react";
import { useLocation } from "react-router";

/**
 * Who follows a link to this place of the page arrives at its heading, also when it was followed before. Not before
 * it has come, and what is on its way above it: that would push it out of sight again.
 */
export function useArrivalAt(place: string, ready: boolean): RefObject<HTMLDivElement | null> {
  const { hash, key } = useLocation();
  const settled = useIsFetching() === 0;
  const panel = useRef<HTMLDivElement>(null);
  const arrived = useRef("");
  useEffect(() => {
    // Each visit has a key of its own.
    if (hash !== `#${place}` || !ready || !settled || arrived.current === key) return;
    arrived.current = key;
    panel.current?.scrollIntoView();
    panel.current?.querySelector("h2")?.focus({ preventScroll: true });
  }, [hash, key, place, ready, settled]);
  return panel;
}
