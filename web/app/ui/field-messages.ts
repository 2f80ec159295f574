import type { FieldErrors, FieldValues } from "react-hook-form";
import type { FieldMessage } from "#ui/error-summary.tsx";

/** The messages of a form in the order of its fields, whose controls have the field's name as their id. */
export function fieldMessages<T extends FieldValues>(
  errors: FieldErrors<T>,
  order: readonly (keyof T & string)[],
): FieldMessage[] {
  return order.flatMap((id) => {
    const message = errors[id]?.message;
    return typeof message === "string" && message ? [{ id, message }] : [];
  });
}
