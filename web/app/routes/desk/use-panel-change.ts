import { useEffect, useRef } from "react";
import { useNavigate } from "react-router";
import { deskPath } from "#features/shell/desk-items.ts";
import { ADD_TRADES, type Panel, TRADE_LOG } from "./panel.ts";

/**
 * An address without a panel opens the log when there are trades, and the form when there are none. A change of
 * the panel is a change of the page: up to its top, and the focus on its heading.
 */
export function usePanelChange(panel: Panel | undefined, total: number | undefined): void {
  const navigate = useNavigate();
  const shown = useRef(panel);

  useEffect(() => {
    if (panel !== undefined || total === undefined) return;
    navigate(deskPath(total > 0 ? TRADE_LOG : ADD_TRADES), { replace: true });
  }, [panel, total, navigate]);

  useEffect(() => {
    const before = shown.current;
    shown.current = panel;
    if (panel === before || panel === undefined) return;
    // Chosen by us, not by the reader: whoever has gone somewhere by then stays there.
    if (before === undefined && document.activeElement !== document.body) return;
    window.scrollTo(0, 0);
    const headings = Array.from(document.querySelectorAll<HTMLElement>("main h1"));
    headings.find((heading) => heading.checkVisibility())?.focus({ preventScroll: true });
  }, [panel]);
}
