import { isProblem, type Problem, retryAfter } from "#lib/api.ts";
import { wait } from "#lib/format.ts";

/** The fields that the server finds fault with; a taken address or number comes as a code alone. */
export function refusedFields(problem: Problem): { field: string; message: string }[] {
  if (problem.errors?.length) return problem.errors.map(({ field, message }) => ({ field, message }));
  if (problem.code === "email_taken") return [{ field: "email", message: problem.detail }];
  if (problem.code === "phone_taken") return [{ field: "phone", message: problem.detail }];
  return [];
}

export const NO_ANSWER = "The server could not be reached. Please try again.";

/** One line about what was thrown: the server's sentence, or that none came. */
export function errorLine(error: unknown): string {
  return isProblem(error) ? error.detail : NO_ANSWER;
}

/** One line about a request that failed, in the server's words where they say more than ours. */
export function failureLine(response: Response, problem: unknown): string {
  const seconds = retryAfter(response);
  if (response.status === 429) return `Too many tries. You can try again in ${wait(seconds ?? 60)}.`;
  if (isProblem(problem) && problem.detail) return problem.detail;
  return response.status >= 500 ? NO_ANSWER : "That did not work. Please try again.";
}
