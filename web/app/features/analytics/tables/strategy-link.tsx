import type { ReactNode } from "react";
import { Link, useLocation } from "react-router";
import { strategyPath, withFilters } from "#lib/analytics-paths.ts";

/** Link to the page of a strategy, which keeps the filters of the current address. */
export function StrategyLink({ id, children }: { id: string; children: ReactNode }) {
  const { search } = useLocation();
  return (
    <Link to={withFilters(strategyPath(id), search)} className="link">
      {children}
    </Link>
  );
}
