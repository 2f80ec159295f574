import { type RefObject, useEffect, useRef } from "react";
import { useLocation } from "react-router";

/** Who follows a link to this place of the page arrives at its heading, also when it was followed before. */
export function useArrivalAt(place: string): RefObject<HTMLDivElement | null> {
  const { hash, key } = useLocation();
  const panel = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each visit has a key of its own
  useEffect(() => {
    if (hash !== `#${place}`) return;
    panel.current?.scrollIntoView();
    panel.current?.querySelector("h2")?.focus({ preventScroll: true });
  }, [hash, key, place]);
  return panel;
}
