import type { ReactNode } from "react";
import { Link, useSearchParams } from "react-router";
import { type Drilldown, writeDrilldown } from "#features/analytics/filters/analytics-view.ts";
import { TRADES_PATH } from "#lib/analytics-paths.ts";

export type DrilldownLinkProps = { drilldown: Drilldown; className?: string; children: ReactNode };

/** Link from a figure to its positions or closed trades. */
export function DrilldownLink({ drilldown, className, children }: DrilldownLinkProps) {
  const [params] = useSearchParams();
  return (
    <Link
      to={{ pathname: TRADES_PATH, search: writeDrilldown(params, drilldown).toString() }}
      {...(className && { className })}
    >
      {children}
    </Link>
  );
}
