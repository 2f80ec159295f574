import { isProblem, type Problem, retryAfter } from "#lib/api.ts";
import { wait } from "#lib/format.ts";

/** Returns the field errors of a problem. For an email or phone number in use the API sends only a code. */
export function fieldErrors(problem: Problem): { field: string; message: string }[] {
  if (problem.errors?.length) return problem.errors.map(({ field, message }) => ({ field, message }));
  if (problem.code === "email_taken") return [{ field: "email", message: problem.detail }];
  if (problem.code === "phone_taken") return [{ field: "phone", message: problem.detail }];
  return [];
}

export const NO_ANSWER = "The server could not be reached. Please try again.";

/** Returns a message for a thrown error: that of the server, or that it could not be reached. */
export function errorMessage(error: unknown): string {
  return isProblem(error) ? error.detail : NO_ANSWER;
}

/** Returns a message for a failed request: that of the server if it has one. */
export function failureMessage(response: Response, problem: unknown): string {
  const seconds = retryAfter(response);
  if (response.status === 429) return `Too many attempts. You can try again in ${wait(seconds ?? 60)}.`;
  if (isProblem(problem) && problem.detail) return problem.detail;
  return response.status >= 500 ? NO_ANSWER : "That did not work. Please try again.";
}
