import type { Session } from "#features/session/session-store.ts";
import { decodeToken } from "#features/session/token.ts";
import { pageToken } from "#lib/url-token.ts";

/** Returns true if the analytics are those of the logged-in user: without a handoff token, or with one of the account. */
export function isOwnAnalytics({ token, user }: Session): boolean {
  const handoffToken = pageToken();
  if (!token) return false;
  return !handoffToken || decodeToken(handoffToken)?.user.email === user.email;
}
