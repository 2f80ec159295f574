/** Pages whose address carries a token of their own: of a letter, or of the way to the analytics. */
const OWN = /^\/(reset-password|confirm-email|analytics)\/?$/;

/** The page of a candidate: the key in the letter stands in the path. */
const KEYED = /^\/application\/([^/]+)/;

let held = "";

/**
 * Takes `token` out of the address before anything is asked of the server, so that it stays in no history and no
 * log. Gives it where it is a sign-in; a page that expects one of its own finds it with `tokenOfPage`.
 */
export function takeToken(): string {
  const url = new URL(window.location.href);
  const [, key] = KEYED.exec(url.pathname) ?? [];
  if (key) {
    held = key;
    window.history.replaceState(window.history.state, "", "/application");
    return "";
  }
  const token = url.searchParams.get("token") ?? "";
  if (!url.searchParams.has("token")) return "";
  url.searchParams.delete("token");
  window.history.replaceState(window.history.state, "", url);
  if (!OWN.test(url.pathname)) return token;
  held = token;
  return "";
}

/** In memory alone: gone with the page. */
export function tokenOfPage(): string {
  return held;
}

/** Whoever comes again comes as anybody does. */
export function dropTokenOfPage(): void {
  held = "";
}
