import { retryAfter, type Schemas } from "#lib/api.ts";
import { wait } from "#lib/format.ts";

/** What the modal over the login or the register form says. */
export type Refusal = { title: string; text: string; detail?: string };

/** No network, a server that is down or sheds, too many tries: nothing is wrong with what was typed. */
export function serverError(response?: Response): Refusal {
  const seconds = response && retryAfter(response);
  return {
    title: "Server Error",
    text: "Please try after some time!!!",
    ...(seconds && { detail: `You can try again in ${wait(seconds)}.` }),
  };
}

export function loginRefusal(response: Response): Refusal {
  if (isServersFault(response.status)) return serverError(response);
  return { title: "Invalid Credentials", text: "Please Check the credentials again!!!" };
}

export function signupRefusal(
  response: Response,
  problem: Schemas["AuthProblem"] | Schemas["Problem"],
): Refusal {
  if (isServersFault(response.status)) return serverError(response);
  const sentence = "error" in problem && problem.error ? problem.error : problem.detail;
  return { title: sentence || "This account could not be made.", text: "Please add valid credentials!!!" };
}

function isServersFault(status: number): boolean {
  return status === 429 || status >= 500;
}
