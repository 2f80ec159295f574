import { type FocusEvent, type PointerEvent, useEffect, useState } from "react";
import { useMedia } from "#lib/use-media.ts";

const STAY = 10_000;

/**
 * Which of `count` cards is shown. It goes on every ten seconds, waits under the pointer and the focus, and stops for
 * good once it was touched; only Play moves it again. Where motion is reduced it stands still from the start.
 */
export function useRotation(count: number) {
  const [at, setAt] = useState(0);
  const [wanted, setWanted] = useState<boolean>();
  const [held, setHeld] = useState(false);
  const reduced = useMedia("(prefers-reduced-motion: reduce)");
  const moving = wanted ?? !reduced;

  useEffect(() => {
    if (!moving || held) return;
    const timer = setInterval(() => setAt((shown) => (shown + 1) % count), STAY);
    return () => clearInterval(timer);
  }, [moving, held, count]);

  return {
    at,
    moving,
    turn(step: 1 | -1) {
      setWanted(false);
      setAt((shown) => (shown + step + count) % count);
    },
    toggle: () => setWanted(!moving),
    /** For the element around the cards. */
    watch: {
      onPointerEnter: () => setHeld(true),
      onPointerLeave: () => setHeld(false),
      // The buttons speak for themselves.
      onPointerDown: ({ target }: PointerEvent<HTMLElement>) => {
        if (target instanceof Element && !target.closest("button")) setWanted(false);
      },
      onFocus: () => setHeld(true),
      onBlur: (event: FocusEvent<HTMLElement>) => setHeld(event.currentTarget.contains(event.relatedTarget)),
    },
  };
}
