import { useEffect, useRef } from "react";
import { useNavigate } from "react-router";
import { deskPath } from "#features/shell/desk-items.ts";
import { ADD_TRADES, type Panel, TRADE_LOG } from "./panel.ts";

/**
 * Opens the log if the URL names no panel and there are trades, otherwise the form. When the panel changes, scrolls to
 * the top and focuses the heading, as for a new page.
 */
export function usePanelChange(panel: Panel | undefined, total: number | undefined): void {
  const navigate = useNavigate();
  const shown = useRef(panel);

  useEffect(() => {
    if (panel !== undefined || total === undefined) return;
    navigate(deskPath(total > 0 ? TRADE_LOG : ADD_TRADES), { replace: true });
  }, [panel, total, navigate]);

  useEffect(() => {
    const previous = shown.current;
    shown.current = panel;
    if (panel === previous || panel === undefined) return;
    // Opened by the redirect above: do not move the focus if the user has already moved it.
    if (previous === undefined && document.activeElement !== document.body) return;
    window.scrollTo(0, 0);
    const headings = Array.from(document.querySelectorAll<HTMLElement>("main h1"));
    headings.find((heading) => heading.checkVisibility())?.focus({ preventScroll: true });
  }, [panel]);
}
