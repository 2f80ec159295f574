import type { ReactNode } from "react";
import { Link, useSearchParams } from "react-router";
import { type Behind, writeBehind } from "#features/analytics/filters/analytics-view.ts";

/** Where the list of round trips stands on the page. */
export const TRIPS = "round-trips";

export type BehindLinkProps = { behind: Behind; className?: string; children: ReactNode };

/** A figure that leads to the round trips that it is made of. */
export function BehindLink({ behind, className, children }: BehindLinkProps) {
  const [params] = useSearchParams();
  return (
    <Link
      to={{ search: writeBehind(params, behind).toString(), hash: TRIPS }}
      preventScrollReset
      {...(className && { className })}
    >
      {children}
    </Link>
  );
}
