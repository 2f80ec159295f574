import { ChartLine, LogOut, ScrollText, Settings, SquarePen, UserRound } from "lucide-react";

/** The panels of the dashboard by index; 2, the manual entry table, has no item of its own. */
export const DESK_ITEMS = [
  { index: 0, label: "Add Trades", Icon: SquarePen },
  { index: 1, label: "Trade Log", Icon: ScrollText },
] as const;

/** A page of its own, beside the panels. */
export const ANALYTICS = { to: "/analytics", label: "Analytics", Icon: ChartLine } as const;

/** What belongs to the person: in the menu of the top bar, and in the drawer. */
export const USER_ITEMS = [
  { to: "/account?tab=profile", label: "Profile", Icon: UserRound },
  { to: "/logout", label: "LogOut", Icon: LogOut },
  { to: "/account?tab=security", label: "Settings", Icon: Settings },
] as const;

/** Where an item leads: the panel stands in the address, so that it can be linked to and gone back from. */
export function deskPath(index: number): string {
  return `/dashboard?panel=${index}`;
}
