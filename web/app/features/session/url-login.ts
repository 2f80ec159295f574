import { getSession, startSession } from "#features/session/session-store.ts";
import { decodeToken, type User } from "#features/session/token.ts";
import { api, withToken } from "#lib/api.ts";
import { announce, ask } from "#lib/notices.ts";

/**
 * Logs in with the token of a URL, `/?token=…`: a single-use token of the Google login, or an access token. The server
 * verifies the token first. An existing session is replaced only after the user confirms.
 */
export async function logInWithUrlToken(token: string): Promise<void> {
  const claims = decodeToken(token);
  if (!claims) {
    console.error("Ignored a token without a name or an email address.");
    return;
  }
  try {
    const session =
      claims.audience === "api" ? await verify(token, claims.user) : await exchange(token, claims.user);
    if (!session || !startSession(session)) return;
    const { name } = getSession().user;
    announce({
      tone: "gain",
      title: `You are logged in as ${name}.`,
      link: { to: "/dashboard", label: "Go to Dashboard" },
    });
  } catch (error) {
    console.error("Ignored the token of the URL.", error);
    announce({
      tone: "warn",
      title: "That login link did not work.",
      text: "The link is valid for one minute and can be used once. Nothing has changed here.",
      link: { to: "/login", label: "Login" },
    });
  }
}

/** Exchanges a single-use token for an access token. The server knows if this browser started the login. */
async function exchange(token: string, user: User): Promise<string | undefined> {
  const confirmed = Boolean(getSession().token);
  if (confirmed && !(await confirmLogin(user))) return undefined;
  let result = await api.POST("/auth/exchange", { body: { token, confirm: confirmed } });
  if (!confirmed && result.error?.code === "confirm_login") {
    if (!(await confirmLogin(user))) return undefined;
    result = await api.POST("/auth/exchange", { body: { token, confirm: true } });
  }
  if (!result.data) throw new Error(result.error?.detail);
  return result.data.data.token;
}

/** Verifies an access token. The user must confirm first, because anyone can create such a link. */
async function verify(token: string, user: User): Promise<string | undefined> {
  if (!(await confirmLogin(user))) return undefined;
  const { data, error } = await api.GET("/account", withToken(token));
  if (!data) throw new Error(error.detail);
  return token;
}

function confirmLogin({ name, email }: User): Promise<boolean> {
  const { token, user } = getSession();
  return ask({
    title: `Continue as ${name} (${email})?`,
    text: token
      ? `You are logged in as ${user.name} (${user.email}). If you continue, that session ends.`
      : "You opened a login link. Continue only if this is your account.",
    confirmLabel: "Continue",
  });
}
