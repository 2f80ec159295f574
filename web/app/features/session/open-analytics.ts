import { getSession } from "#features/session/session-store.ts";
import { api } from "#lib/api.ts";
import { failureLine, NO_ANSWER } from "#lib/problem.ts";

const SIGNED_OUT = "Missing auth data";

/**
 * Goes to the analytics site with a token that is good for that alone. Gives the sentence to show where that fails,
 * and nothing once the browser is on its way.
 */
export async function openAnalytics(): Promise<string | undefined> {
  if (!getSession().token) return SIGNED_OUT;
  try {
    const { data, error, response } = await api.POST("/auth/handoff");
    if (!data) return response.status === 401 ? SIGNED_OUT : failureLine(response, error);
    window.location.assign(data.url);
    return undefined;
  } catch (error) {
    console.error(error);
    return NO_ANSWER;
  }
}
