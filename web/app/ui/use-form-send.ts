import { useState } from "react";
import type { FieldPath, FieldValues, UseFormReturn } from "react-hook-form";
import { isProblem } from "#lib/api.ts";
import { failureLine, NO_ANSWER, refusedFields } from "#lib/problem.ts";
import { fieldMessages } from "#ui/field-messages.ts";

type Answer = { response: Response; error?: unknown };

/**
 * Sends a form: what the server says of a field stands beside it and in the summary, anything else in one line
 * above the button. The fields keep what was typed.
 */
export function useFormSend<T extends FieldValues>(
  form: Pick<UseFormReturn<T>, "formState" | "setError">,
  fields: readonly FieldPath<T>[],
) {
  const [failure, setFailure] = useState<string>();
  const [attempt, setAttempt] = useState(0);
  const invalid = () => setAttempt((n) => n + 1);

  /** The answer, if the server did what was asked. */
  async function deliver<A extends Answer>(request: () => Promise<A>): Promise<A | undefined> {
    setFailure(undefined);
    try {
      const answer = await request();
      if (answer.response.ok) return answer;
      if (!showInFields(answer.error)) setFailure(failureLine(answer.response, answer.error));
    } catch (error) {
      console.error(error);
      setFailure(NO_ANSWER);
    }
    return undefined;
  }

  function showInFields(error: unknown): boolean {
    let shown = false;
    for (const { field, message } of isProblem(error) ? refusedFields(error) : []) {
      const own = fields.find((name) => name === field);
      if (!own) continue;
      form.setError(own, { type: "server", message });
      shown = true;
    }
    if (shown) invalid();
    return shown;
  }

  return {
    messages: fieldMessages(form.formState.errors, fields),
    attempt,
    invalid,
    failure,
    setFailure,
    deliver,
  };
}
