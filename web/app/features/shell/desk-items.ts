import { ChartLine, LogOut, NotebookText, ScrollText, Settings, SquarePen, UserRound } from "lucide-react";
import { ANALYTICS_PAGES } from "#lib/analytics-paths.ts";

/** Sidebar items of the dashboard panels, by panel index; the other panels have no item. */
export const DESK_ITEMS = [
  { index: 0, label: "Add Trades", Icon: SquarePen },
  { index: 1, label: "Trade Log", Icon: ScrollText },
] as const;

/** The analytics: title of the pages, and the path of the first one. */
export const ANALYTICS = { to: "/analytics", label: "Analytics" } as const;

/** Sidebar items of the analytics; the pages after the first one stand below it without an icon. */
export const ANALYTICS_ITEMS = ANALYTICS_PAGES.map(({ page, to, label }) => ({
  to,
  label,
  Icon: page === "overview" ? ChartLine : undefined,
}));

/** Sidebar item of the journal. */
export const JOURNAL = { to: "/journal", label: "Journal", Icon: NotebookText } as const;

/** Items of the user menu, in the top bar and in the drawer. */
export const USER_ITEMS = [
  { to: "/account?tab=profile", label: "Profile", Icon: UserRound },
  { to: "/logout", label: "LogOut", Icon: LogOut },
  { to: "/account?tab=security", label: "Settings", Icon: Settings },
] as const;

/** Returns the URL of a dashboard panel; with it, panels can be linked to and Back works. */
export function deskPath(index: number): string {
  return `/dashboard?panel=${index}`;
}
