import type { ReactNode } from "react";
import { Link, useSearchParams } from "react-router";
import { type Behind, writeBehind } from "#features/analytics/filters/analytics-view.ts";

/** Where the list of closed trades stands on the page. */
export const CLOSED_TRADES = "closed-trades";

export type BehindLinkProps = { behind: Behind; className?: string; children: ReactNode };

/** A figure that leads to the closed trades that it is made of. */
export function BehindLink({ behind, className, children }: BehindLinkProps) {
  const [params] = useSearchParams();
  return (
    <Link
      to={{ search: writeBehind(params, behind).toString(), hash: CLOSED_TRADES }}
      preventScrollReset
      {...(className && { className })}
    >
      {children}
    </Link>
  );
}
