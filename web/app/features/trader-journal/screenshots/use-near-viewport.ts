import { useEffect, useRef, useState } from "react";

/** Distance from the visible part of the page at which an element counts as near. */
const MARGIN = "300px";

/** Returns a ref, and true once its element has been near the visible part of the page. */
export function useNearViewport<T extends Element>() {
  const element = useRef<T>(null);
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    if (isNear || !element.current) return undefined;
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setNear(true),
      { rootMargin: MARGIN },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [isNear]);
  return { element, isNear };
}
