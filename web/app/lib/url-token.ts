/** Pages with a token of their own in the URL: from an email, or from the link to the analytics. */
const TOKEN_PAGES = /^\/(reset-password|confirm-email|analytics)\/?$/;

/** The page of a candidate; the key from the email is in the path. */
const APPLICATION_PATH = /^\/application\/([^/]+)/;

let storedToken = "";

/**
 * Removes the token from the URL before the first request, so that it is in no history and no log. Returns it if it is
 * a login token; the token of a page is available from `pageToken`.
 */
export function takeUrlToken(): string {
  const url = new URL(window.location.href);
  const [, key] = APPLICATION_PATH.exec(url.pathname) ?? [];
  if (key) {
    storedToken = key;
    window.history.replaceState(window.history.state, "", "/application");
    return "";
  }
  const token = url.searchParams.get("token") ?? "";
  if (!url.searchParams.has("token")) return "";
  url.searchParams.delete("token");
  window.history.replaceState(window.history.state, "", url);
  if (!TOKEN_PAGES.test(url.pathname)) return token;
  storedToken = token;
  return "";
}

/** Returns the token of the page; kept in memory only, so it is lost on reload. */
export function pageToken(): string {
  return storedToken;
}

/** Deletes the token of the page, so that a later visit does not use it. */
export function clearPageToken(): void {
  storedToken = "";
}
