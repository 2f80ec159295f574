import { createContext, type ReactNode, useContext } from "react";
import type { Position, Strategy } from "#features/analytics/analytics-api.ts";
import type { UnitName } from "#features/analytics/filters/units.ts";
import type { withToken } from "#lib/api.ts";

/** Person who views the analytics: the account's owner, or a guest with a read-only token. */
export type Viewer = {
  name: string;
  /** Options to spread into each request: the token of a guest; empty for the owner, whose session adds the token. */
  requestInit: Record<string, never> | ReturnType<typeof withToken>;
  /** True for the owner, who can enter corporate actions and open the trade log. */
  isOwner: boolean;
  /** Renders the journal of a position; absent for a guest. */
  journal?: (position: Position) => ReactNode;
  /** Renders the journal of a strategy; absent for a guest. */
  strategyJournal?: (strategy: Strategy) => ReactNode;
  /** Asks for the password when the server requires it for a sensitive action; absent for a guest. */
  reauthentication?: ReactNode;
};

const NO_VIEWER: Viewer = { name: "Trader", requestInit: {}, isOwner: false };

export const ViewerContext = createContext<Viewer>(NO_VIEWER);

export function useViewer(): Viewer {
  return useContext(ViewerContext);
}

/** Name of the unit that the figures count. */
export const UnitContext = createContext<UnitName>("position");

export function useUnit(): UnitName {
  return useContext(UnitContext);
}
