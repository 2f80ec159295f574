import { useEffect, useRef } from "react";
import { useLocation, useNavigationType } from "react-router";

/**
 * After a change of page: up to its top, and the focus on its heading, so that it is read out and the next Tab
 * goes on from there. Back and forward keep the place that the browser remembers.
 */
export function useArrival(): void {
  const { pathname } = useLocation();
  const type = useNavigationType();
  const shown = useRef(pathname);

  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    if (type !== "POP") window.scrollTo(0, 0);
    const heading =
      document.querySelector<HTMLElement>("main h1[tabindex='-1']") ??
      document.querySelector<HTMLElement>("main");
    heading?.focus({ preventScroll: true });
  }, [pathname, type]);
}
