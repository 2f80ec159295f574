import type { FieldErrors, FieldValues } from "react-hook-form";
import type { FieldMessage } from "#ui/error-summary.tsx";

/** Returns the error messages of a form in the order of its fields; the ids of the controls are the field names. */
export function fieldMessages<T extends FieldValues>(
  errors: FieldErrors<T>,
  order: readonly (keyof T & string)[],
): FieldMessage[] {
  return order.flatMap((id) => {
    const message = errors[id]?.message;
    return typeof message === "string" && message ? [{ id, message }] : [];
  });
}
