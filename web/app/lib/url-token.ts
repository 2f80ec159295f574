/** Pages with a token of their own in the URL: from an email, or from the link to the analytics. */
const TOKEN_PAGES = /^\/(reset-password|confirm-email|analytics(\/\w+)?)\/?$/;

/**
 * The page of a candidate. The key from the email is in the fragment, which browsers do not send; in older emails it is
 * in the path. The fragment of the skip link is too short for a key.
 */
const APPLICATION_LINK = /^\/application(?:\/([^/#]+)|\/?#([\w-]{20,}))/;

let storedToken = "";

/**
 * Removes the token from the URL before the first request, so that it is in no history and no log. Returns it if it is
 * a login token; the token of a page is available from `pageToken`.
 */
export function takeUrlToken(): string {
  const url = new URL(window.location.href);
  if (takeApplicationKey()) return "";
  const token = url.searchParams.get("token") ?? "";
  if (!url.searchParams.has("token")) return "";
  url.searchParams.delete("token");
  window.history.replaceState(window.history.state, "", url);
  if (!TOKEN_PAGES.test(url.pathname)) return token;
  storedToken = token;
  return "";
}

/** Moves the key of an application from the URL into memory. Returns false if there is none. */
export function takeApplicationKey(): boolean {
  const { pathname, hash } = window.location;
  const [, pathKey, fragmentKey] = APPLICATION_LINK.exec(pathname + hash) ?? [];
  const key = pathKey ?? fragmentKey;
  if (!key) return false;
  storedToken = key;
  window.history.replaceState(window.history.state, "", "/application");
  return true;
}

/** Returns the token of the page; kept in memory only, so it is lost on reload. */
export function pageToken(): string {
  return storedToken;
}

/** Deletes the token of the page, so that a later visit does not use it. */
export function clearPageToken(): void {
  storedToken = "";
}
