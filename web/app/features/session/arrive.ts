import { getSession, signIn } from "#features/session/session-store.ts";
import { decodeToken, type User } from "#features/session/token.ts";
import { api, withToken } from "#lib/api.ts";
import { announce, ask } from "#lib/notices.ts";

/**
 * A sign-in that came with the address, `/?token=…`: the way back from Google, or an access token. It is good for
 * nothing before the server has said so, and takes the place of no other sign-in unless one says yes.
 */
export async function arrive(token: string): Promise<void> {
  const claims = decodeToken(token);
  if (!claims) {
    console.error("A token that names nobody was ignored.");
    return;
  }
  try {
    const session =
      claims.audience === "api" ? await check(token, claims.user) : await exchange(token, claims.user);
    if (!session || !signIn(session)) return;
    const { name } = getSession().user;
    announce({
      tone: "gain",
      title: `You are logged in as ${name}.`,
      link: { to: "/dashboard", label: "Go to Dashboard" },
    });
  } catch (error) {
    console.error("A token in the address was ignored.", error);
    announce({
      tone: "warn",
      title: "That sign-in link did not work.",
      text: "It is good for a minute, and once. Nothing has changed here.",
      link: { to: "/login", label: "Login" },
    });
  }
}

/** The single-use token. The server knows whether this browser began the sign-in. */
async function exchange(token: string, user: User): Promise<string | undefined> {
  const asked = Boolean(getSession().token);
  if (asked && !(await agreed(user))) return undefined;
  let answer = await api.POST("/auth/exchange", { body: { token, confirm: asked } });
  if (!asked && answer.error?.code === "confirm_sign_in") {
    if (!(await agreed(user))) return undefined;
    answer = await api.POST("/auth/exchange", { body: { token, confirm: true } });
  }
  if (!answer.data) throw new Error(answer.error?.detail);
  return answer.data.data.token;
}

/** An access token: whoever made the link, nobody is signed in by it without a word. */
async function check(token: string, user: User): Promise<string | undefined> {
  if (!(await agreed(user))) return undefined;
  const { data, error } = await api.GET("/account", withToken(token));
  if (!data) throw new Error(error.detail);
  return token;
}

function agreed({ name, email }: User): Promise<boolean> {
  const { token, user } = getSession();
  return ask({
    title: `Continue as ${name} (${email})?`,
    text: token
      ? `You are logged in as ${user.name} (${user.email}). That ends here if you continue.`
      : "A link brought this sign-in. Continue only if the account is yours.",
    yes: "Continue",
  });
}
