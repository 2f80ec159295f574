import type { ReactNode } from "react";
import { Link, useSearchParams } from "react-router";
import { CLOSED_TRADES_ID } from "#features/analytics/analytics-paths.ts";
import { type Drilldown, writeDrilldown } from "#features/analytics/filters/analytics-view.ts";

export type DrilldownLinkProps = { drilldown: Drilldown; className?: string; children: ReactNode };

/** Link from a figure to its closed trades. */
export function DrilldownLink({ drilldown, className, children }: DrilldownLinkProps) {
  const [params] = useSearchParams();
  return (
    <Link
      to={{ search: writeDrilldown(params, drilldown).toString(), hash: CLOSED_TRADES_ID }}
      preventScrollReset
      {...(className && { className })}
    >
      {children}
    </Link>
  );
}
