import type { FieldName } from "#features/strategy-entry/strategy-validation.ts";

/** Returns the id of the control of a field. The form of a single trade can be on the same page. */
export function fieldId(name: FieldName | "template" | "account"): string {
  return `strategy-${name}`;
}
