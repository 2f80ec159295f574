import { useSyncExternalStore } from "react";
import { decodeToken, type User } from "#features/session/token.ts";
import { setAuthority } from "#lib/authority.ts";
import { lasting } from "#lib/storage.ts";

export type Session = {
  /** Empty while signed out; the login state derives from it. */
  token: string;
  user: User;
};

const KEY = "token";
const LOCK = "session-refresh";
/** Loaded when it is needed: public pages know the session, and ask the server for nothing. */
const loadApi = async () => (await import("#lib/api.ts")).api;
/** A token with less than this left is renewed before it is used. */
const MARGIN = 30_000;
const SETTLING = 150;

const SIGNED_OUT: Session = { token: "", user: { name: "Trader", email: "" } };

let session: Session = SIGNED_OUT;
/** By the clock of this browser, which may be wrong: see `adopt`. */
let expiry = Number.POSITIVE_INFINITY;
let timer: ReturnType<typeof setTimeout> | undefined;
let renewal: Promise<string> | undefined;
const listeners = new Set<() => void>();
const accountListeners = new Set<() => void>();

export function getSession(): Session {
  return session;
}

export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Pages are built signed out; the real state comes with the first render in the browser. */
export function useSession(): Session {
  return useSyncExternalStore(subscribe, getSession, () => SIGNED_OUT);
}

/** Called when another person, or nobody, is signed in: whoever holds their data drops it. */
export function onAccountChange(listener: () => void): () => void {
  accountListeners.add(listener);
  return () => accountListeners.delete(listener);
}

/** Takes a token that the server just gave. False, with a line in the log, when it names nobody. */
export function signIn(token: string): boolean {
  if (!adopt(token, true)) return false;
  lasting.set(KEY, token);
  return true;
}

/** The server has ended the sign-in already: with a closed account all of them end. */
export function forgetSession(): void {
  clear();
  lasting.remove(KEY);
}

/** Ends the session here at once, also without a network, then tells the server. */
export async function signOut(): Promise<void> {
  const { token } = session;
  forgetSession();
  try {
    // With the old token: the cookie alone would do, but only the token names this very sign-in.
    await (await loadApi()).POST("/auth/logout", {
      keepalive: true,
      ...(token && { headers: { Authorization: `Bearer ${token}` } }),
    });
  } catch (error) {
    console.warn("The server could not be told of the logout.", error);
  }
}

function adopt(token: string, justIssued: boolean): boolean {
  const claims = decodeToken(token);
  if (!claims) {
    console.error("A token that names nobody was ignored.");
    return false;
  }
  const { issuedAt, expiresAt, user } = claims;
  // A new token is dated by its length of life, so that a wrong clock here does not matter.
  if (expiresAt === undefined) expiry = Number.POSITIVE_INFINITY;
  else if (justIssued && issuedAt !== undefined) expiry = Date.now() + (expiresAt - issuedAt) * 1000;
  else expiry = expiresAt * 1000;
  replace({ token, user });
  schedule();
  return true;
}

function clear(): void {
  clearTimeout(timer);
  expiry = Number.POSITIVE_INFINITY;
  replace(SIGNED_OUT);
}

function replace(next: Session): void {
  const otherAccount = next.user.email !== session.user.email;
  session = next;
  if (otherAccount) for (const listener of accountListeners) listener();
  for (const listener of listeners) listener();
}

/** Renews a minute before the end, so that a page that is only read stays signed in. */
function schedule(): void {
  clearTimeout(timer);
  if (expiry === Number.POSITIVE_INFINITY) return;
  const delay = Math.max(expiry - Date.now() - 2 * MARGIN, 1_000);
  timer = setTimeout(() => void renew(session.token), Math.min(delay, 2 ** 31 - 1));
}

/**
 * One renewal at a time in this tab, and through the lock in all tabs: the cookie works once, so the tab that
 * comes second takes over the token that the first one stored.
 */
function renew(old: string): Promise<string> {
  renewal ??= withLock(() => exchange(old)).finally(() => {
    renewal = undefined;
  });
  return renewal;
}

function withLock(task: () => Promise<string>): Promise<string> {
  if (!navigator.locks) return task();
  return new Promise((resolve, reject) => {
    const held = navigator.locks.request(LOCK, async () => {
      resolve(await task());
      // What one tab stores reaches the next a moment later; it must be there when that one gets the lock.
      await new Promise((settled) => setTimeout(settled, SETTLING));
    });
    held.catch(reject);
  });
}

async function exchange(old: string): Promise<string> {
  if (session.token && session.token !== old) return session.token;
  const stored = lasting.get(KEY);
  if (stored && stored !== old && adopt(stored, true)) return stored;

  try {
    const { data, response } = await (await loadApi()).POST("/auth/refresh");
    // Signed out, or in again, while the answer was on its way: the answer is void.
    if (session.token !== old) return session.token;
    if (data && isSession(data.data.token)) return signIn(data.data.token) ? data.data.token : "";
    // Ended; or the cookie is another person's, whose trades must not appear under this name.
    if (data || response.status === 401) forgetSession();
    return "";
  } catch {
    // No network: the session stays, and the request that needed it fails by itself.
    return "";
  }
}

function isSession(token: string): boolean {
  return decodeToken(token)?.user.email === session.user.email;
}

async function freshToken(): Promise<string> {
  const { token } = session;
  if (!token || expiry - Date.now() > MARGIN) return token;
  return (await renew(token)) || session.token;
}

function followOtherTabs(event: StorageEvent): void {
  // `null` is a cleared storage, which is how the server's answer to a logout arrives in the other tabs.
  if (event.key !== KEY && event.key !== null) return;
  const token = lasting.get(KEY);
  if (!token) clear();
  else if (token !== session.token) adopt(token, true);
}

if (typeof window !== "undefined") {
  setAuthority({ freshToken, renew });
  const stored = lasting.get(KEY);
  if (stored) adopt(stored, false);
  window.addEventListener("storage", followOtherTabs);
}
