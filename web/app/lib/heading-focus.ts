import { useEffect, useRef } from "react";
import { useLocation, useNavigationType } from "react-router";

/**
 * After a navigation to another page, scrolls to the top and focuses the heading, so that screen readers announce it
 * and Tab continues from there. Back and forward keep the scroll position of the browser.
 */
export function useRouteFocus(): void {
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

/** Focuses the heading when `state` changes, for a page that shows other content at the same URL. */
export function useHeadingFocus(state: string): void {
  const shown = useRef(state);
  useEffect(() => {
    if (shown.current === state) return;
    shown.current = state;
    document.querySelector<HTMLElement>("main h1[tabindex='-1']")?.focus();
  }, [state]);
}
