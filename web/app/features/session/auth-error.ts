import { retryAfter, type Schemas } from "#lib/api.ts";
import { wait } from "#lib/format.ts";

/** Texts of the error dialog of the login and the sign-up form. */
export type AuthError = { title: string; text: string; detail?: string };

/** Error for no network, an unavailable or overloaded server, or too many attempts; the input may be correct. */
export function serverError(response?: Response): AuthError {
  const seconds = response && retryAfter(response);
  return {
    title: "Server Error",
    text: "Please try after some time!!!",
    ...(seconds && { detail: `You can try again in ${wait(seconds)}.` }),
  };
}

export function loginError(response: Response): AuthError {
  if (isServerError(response.status)) return serverError(response);
  return { title: "Invalid Credentials", text: "Please Check the credentials again!!!" };
}

export function signupError(
  response: Response,
  problem: Schemas["AuthProblem"] | Schemas["Problem"],
): AuthError {
  if (isServerError(response.status)) return serverError(response);
  const message = "error" in problem && problem.error ? problem.error : problem.detail;
  return { title: message || "The account could not be created.", text: "Please add valid credentials!!!" };
}

function isServerError(status: number): boolean {
  return status === 429 || status >= 500;
}
