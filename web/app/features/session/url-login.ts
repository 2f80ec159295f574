import { getSession, startSession } from "#features/session/session-store.ts";
import { decodeToken, type User } from "#features/session/token.ts";
import { api } from "#lib/api.ts";
import { announce, ask } from "#lib/notices.ts";

const ONE_TIME_LINK = "The link is valid for one minute and can be used once. Nothing has changed here.";

/**
 * Logs in with the token of a URL, `/?token=…`: a single-use token of the Google login, or an access token. The server
 * verifies the token first, so that no text of a forged token is shown. The user confirms a login that this browser did
 * not start, and the replacement of a session.
 */
export async function logInWithUrlToken(token: string): Promise<void> {
  const claims = decodeToken(token);
  if (!claims) {
    console.error("Ignored a token without a name or an email address.");
    return;
  }
  try {
    const { data: account, error } = await api.POST("/auth/check-link", { body: { token } });
    if (!account) {
      reject(error?.detail, error?.code === "email_not_confirmed" ? error.detail : ONE_TIME_LINK);
      return;
    }
    const needsConfirmation = !account.startedHere || Boolean(getSession().token);
    if (needsConfirmation && !(await confirmLogin(account))) return;
    const session = claims.audience === "api" ? token : await exchange(token, needsConfirmation);
    if (!session || !startSession(session)) return;
    const { name } = getSession().user;
    announce({
      tone: "gain",
      title: `You are logged in as ${name}.`,
      link: { to: "/dashboard", label: "Go to Dashboard" },
    });
  } catch (error) {
    reject(error, ONE_TIME_LINK);
  }
}

/** Exchanges a single-use token for an access token; undefined if the login needs a second step, on the login page. */
async function exchange(token: string, confirm: boolean): Promise<string | undefined> {
  const { data, error } = await api.POST("/auth/exchange", { body: { token, confirm } });
  if (error && "methods" in error) {
    window.location.assign(`/login?second-factor=${error.methods.join(",")}`);
    return undefined;
  }
  if (!data) throw new Error(error?.detail);
  return data.data.token;
}

function reject(reason: unknown, text: string): void {
  console.error("Ignored the token of the URL.", reason);
  announce({
    tone: "warn",
    title: "That login link did not work.",
    text,
    link: { to: "/login", label: "Login" },
  });
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
