import { useSyncExternalStore } from "react";
import { decodeToken, type User } from "#features/session/token.ts";
import { persistentStorage } from "#lib/storage.ts";
import { setTokenSource } from "#lib/token-source.ts";

export type Session = {
  /** Access token; empty while logged out. The login state derives from it. */
  token: string;
  user: User;
};

const KEY = "token";
const LOCK_NAME = "session-refresh";
/** Loaded on demand: public pages read the session but send no request. */
const loadApi = async () => (await import("#lib/api.ts")).api;
/** A token that expires within this time is renewed before it is used. */
const MIN_REMAINING_MS = 30_000;
/** Time until what one tab stores is visible in another. */
const STORAGE_DELAY_MS = 150;
/** The longest delay of `setTimeout`. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

const LOGGED_OUT: Session = { token: "", user: { name: "Trader", email: "" } };

let session: Session = LOGGED_OUT;
/** Expiry by the clock of this browser, which may be wrong: see `setToken`. */
let expiry = Number.POSITIVE_INFINITY;
let timer: ReturnType<typeof setTimeout> | undefined;
let renewal: Promise<string> | undefined;
const listeners = new Set<() => void>();
const accountListeners = new Set<() => void>();

export function getSession(): Session {
  return session;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the session. Pages are prerendered logged out; the real state follows with the first render in the browser. */
export function useSession(): Session {
  return useSyncExternalStore(subscribe, getSession, () => LOGGED_OUT);
}

/** Calls `listener` when another account logs in or the user logs out, so that cached data can be dropped. */
export function onAccountChange(listener: () => void): () => void {
  accountListeners.add(listener);
  return () => accountListeners.delete(listener);
}

/** Starts a session with a new token of the server. Returns false and logs an error if the token names no user. */
export function startSession(token: string): boolean {
  if (!setToken(token, true)) return false;
  persistentStorage.set(KEY, token);
  return true;
}

/** Ends the session in this browser only, after the server has ended it. */
export function clearSession(): void {
  reset();
  persistentStorage.remove(KEY);
}

/** Ends the session in this browser at once, even offline, then on the server. */
export async function logOut(): Promise<void> {
  const { token } = session;
  clearSession();
  try {
    // The cookie would be enough for the server, but only the token identifies this session.
    await (await loadApi()).POST("/auth/logout", {
      keepalive: true,
      ...(token && { headers: { Authorization: `Bearer ${token}` } }),
    });
  } catch (error) {
    console.warn("The logout could not be sent to the server.", error);
  }
}

function setToken(token: string, justIssued: boolean): boolean {
  const claims = decodeToken(token);
  if (!claims) {
    console.error("Ignored a token without a name or an email address.");
    return false;
  }
  const { issuedAt, expiresAt, user } = claims;
  // The expiry of a new token follows from its lifetime, so that a wrong clock here does not matter.
  if (expiresAt === undefined) expiry = Number.POSITIVE_INFINITY;
  else if (justIssued && issuedAt !== undefined) expiry = Date.now() + (expiresAt - issuedAt) * 1000;
  else expiry = expiresAt * 1000;
  replace({ token, user });
  scheduleRenewal();
  return true;
}

function reset(): void {
  clearTimeout(timer);
  expiry = Number.POSITIVE_INFINITY;
  replace(LOGGED_OUT);
}

function replace(next: Session): void {
  const accountChanged = next.user.email !== session.user.email;
  session = next;
  if (accountChanged) for (const listener of accountListeners) listener();
  for (const listener of listeners) listener();
}

/** Schedules the renewal one minute before expiry, so that a page without requests stays logged in. */
function scheduleRenewal(): void {
  clearTimeout(timer);
  if (expiry === Number.POSITIVE_INFINITY) return;
  const delay = Math.max(expiry - Date.now() - 2 * MIN_REMAINING_MS, 1_000);
  timer = setTimeout(() => void renew(session.token), Math.min(delay, MAX_TIMEOUT_MS));
}

/**
 * Renews the token, one renewal at a time in this tab and, with the lock, in all tabs. The refresh cookie can be used
 * once, so the next tab takes the token that the first one stored.
 */
function renew(oldToken: string): Promise<string> {
  renewal ??= withLock(() => refresh(oldToken)).finally(() => {
    renewal = undefined;
  });
  return renewal;
}

function withLock(task: () => Promise<string>): Promise<string> {
  if (!navigator.locks) return task();
  return new Promise((resolve, reject) => {
    const request = navigator.locks.request(LOCK_NAME, async () => {
      resolve(await task());
      // Keep the lock until the other tabs can see the stored token.
      await new Promise((done) => setTimeout(done, STORAGE_DELAY_MS));
    });
    request.catch(reject);
  });
}

async function refresh(oldToken: string): Promise<string> {
  if (session.token && session.token !== oldToken) return session.token;
  const stored = persistentStorage.get(KEY);
  if (stored && stored !== oldToken && setToken(stored, true)) return stored;

  try {
    const { data, response } = await (await loadApi()).POST("/auth/refresh");
    // The user logged out or in again during the request: ignore the response.
    if (session.token !== oldToken) return session.token;
    if (data && isSameAccount(data.data.token)) return startSession(data.data.token) ? data.data.token : "";
    // The session has ended, or the cookie belongs to another account, whose trades must not appear here.
    if (data || response.status === 401) clearSession();
    return "";
  } catch {
    // No network: keep the session; the request that needed the token fails by itself.
    return "";
  }
}

function isSameAccount(token: string): boolean {
  return decodeToken(token)?.user.email === session.user.email;
}

async function freshToken(): Promise<string> {
  const { token } = session;
  if (!token || expiry - Date.now() > MIN_REMAINING_MS) return token;
  return (await renew(token)) || session.token;
}

function followOtherTabs(event: StorageEvent): void {
  // A null key means that the storage was cleared, as the response to a logout does (Clear-Site-Data).
  if (event.key === KEY || event.key === null) followStorage();
}

/** The back button may restore a page of a session that has ended since: it got no storage events meanwhile. */
function followAfterRestore(event: PageTransitionEvent): void {
  if (event.persisted) followStorage();
}

function followStorage(): void {
  const token = persistentStorage.get(KEY);
  if (!token) reset();
  else if (token !== session.token) setToken(token, true);
}

if (typeof window !== "undefined") {
  setTokenSource({ freshToken, renew, onAccountChange });
  const stored = persistentStorage.get(KEY);
  if (stored) setToken(stored, false);
  window.addEventListener("storage", followOtherTabs);
  window.addEventListener("pageshow", followAfterRestore);
}
