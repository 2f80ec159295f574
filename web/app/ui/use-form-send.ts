import { useState } from "react";
import type { FieldPath, FieldValues, UseFormReturn } from "react-hook-form";
import { isProblem } from "#lib/api.ts";
import { failureMessage, fieldErrors, NO_ANSWER } from "#lib/problem.ts";
import { fieldMessages } from "#ui/field-messages.ts";

type Result = { response: Response; error?: unknown };

/**
 * Sends a form. Field errors of the server appear at the field and in the summary, other errors above the button. The
 * fields keep their input.
 */
export function useFormSend<T extends FieldValues>(
  form: Pick<UseFormReturn<T>, "formState" | "setError">,
  fields: readonly FieldPath<T>[],
) {
  const [failure, setFailure] = useState<string>();
  const [attempt, setAttempt] = useState(0);
  const invalid = () => setAttempt((n) => n + 1);

  /** Returns the result of the request if it succeeded. */
  async function deliver<R extends Result>(request: () => Promise<R>): Promise<R | undefined> {
    setFailure(undefined);
    try {
      const result = await request();
      if (result.response.ok) return result;
      if (!showInFields(result.error)) setFailure(failureMessage(result.response, result.error));
    } catch (error) {
      console.error(error);
      setFailure(NO_ANSWER);
    }
    return undefined;
  }

  function showInFields(error: unknown): boolean {
    let shown = false;
    for (const { field, message } of isProblem(error) ? fieldErrors(error) : []) {
      const formField = fields.find((name) => name === field);
      if (!formField) continue;
      form.setError(formField, { type: "server", message });
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
