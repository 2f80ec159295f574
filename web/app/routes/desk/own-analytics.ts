import type { Session } from "#features/session/session-store.ts";
import { decodeToken } from "#features/session/token.ts";
import { tokenOfPage } from "#lib/arrived-token.ts";

/** Whether the analytics are those of the account that is signed in here: no hand-off came, or one of its own. */
export function ownAnalytics({ token, user }: Session): boolean {
  const handed = tokenOfPage();
  if (!token) return false;
  return !handed || decodeToken(handed)?.user.email === user.email;
}
