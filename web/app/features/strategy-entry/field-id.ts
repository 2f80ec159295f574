import type { FieldName } from "#features/strategy-entry/strategy-validation.ts";

/** Returns the id of the control of a field. The form of a single trade can be on the same page. */
export function fieldId(name: FieldName | "template" | "account" | "lots" | "lotSize"): string {
  return `strategy-${name}`;
}

/** Joins the ids of texts that describe a control. */
export function describedBy(...ids: readonly (string | undefined)[]): string {
  return ids.filter(Boolean).join(" ");
}
