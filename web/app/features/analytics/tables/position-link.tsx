import type { ReactNode } from "react";
import { Link, useSearchParams } from "react-router";
import { writePosition } from "#features/analytics/filters/analytics-view.ts";
import { TRADES_PATH } from "#lib/analytics-paths.ts";

/** Link to a position, which the list of trades shows in its side panel. */
export function PositionLink({ id, children }: { id: string; children: ReactNode }) {
  const [params] = useSearchParams();
  return (
    <Link to={{ pathname: TRADES_PATH, search: writePosition(params, id).toString() }} className="link">
      {children}
    </Link>
  );
}
