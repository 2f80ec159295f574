import { type FocusEvent, type PointerEvent, useEffect, useState } from "react";
import { useMedia } from "#lib/use-media.ts";

const CARD_DURATION_MS = 10_000;

/**
 * Rotates through `count` cards, one every ten seconds. It pauses while the pointer or the focus is on it, and stops
 * permanently once the user interacts; only Play starts it again. With reduced motion it starts stopped.
 */
export function useRotation(count: number) {
  const [index, setIndex] = useState(0);
  const [requested, setRequested] = useState<boolean>();
  const [paused, setPaused] = useState(false);
  const reduced = useMedia("(prefers-reduced-motion: reduce)");
  const moving = requested ?? !reduced;

  useEffect(() => {
    if (!moving || paused) return;
    const timer = setInterval(() => setIndex((shown) => (shown + 1) % count), CARD_DURATION_MS);
    return () => clearInterval(timer);
  }, [moving, paused, count]);

  return {
    index,
    moving,
    step(direction: 1 | -1) {
      setRequested(false);
      setIndex((shown) => (shown + direction + count) % count);
    },
    toggle: () => setRequested(!moving),
    /** Event handlers for the element around the cards. */
    pauseHandlers: {
      onPointerEnter: () => setPaused(true),
      onPointerLeave: () => setPaused(false),
      // The buttons have their own handlers.
      onPointerDown: ({ target }: PointerEvent<HTMLElement>) => {
        if (target instanceof Element && !target.closest("button")) setRequested(false);
      },
      onFocus: () => setPaused(true),
      onBlur: (event: FocusEvent<HTMLElement>) =>
        setPaused(event.currentTarget.contains(event.relatedTarget)),
    },
  };
}
