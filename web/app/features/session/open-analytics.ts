import { getSession } from "#features/session/session-store.ts";
import { api } from "#lib/api.ts";
import { failureMessage, NO_ANSWER } from "#lib/problem.ts";

const LOGGED_OUT = "Missing auth data";

/**
 * Opens the analytics site with a single-use token for it. Returns an error message, or undefined once the browser
 * navigates.
 */
export async function openAnalytics(): Promise<string | undefined> {
  if (!getSession().token) return LOGGED_OUT;
  try {
    const { data, error, response } = await api.POST("/auth/handoff");
    if (!data) return response.status === 401 ? LOGGED_OUT : failureMessage(response, error);
    window.location.assign(data.url);
    return undefined;
  } catch (error) {
    console.error(error);
    return NO_ANSWER;
  }
}
