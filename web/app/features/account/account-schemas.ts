import * as v from "valibot";
import {
  confirmedPassword,
  fullName,
  newPassword,
  optionalPhoneNumber,
  PASSWORD_MISMATCH,
  passwordsMatch,
  phoneNumber,
} from "#lib/person-fields.ts";

const ownPassword = v.pipe(v.string(), v.nonEmpty("Enter your password."));

/** The phone number is optional for an account without one; an existing number cannot be removed. */
export function profileSchema(hasPhone: boolean) {
  return v.object({ name: fullName, phone: hasPhone ? phoneNumber : optionalPhoneNumber });
}

export type Profile = { name: string; phone: string };

export const passwordSchema = v.pipe(
  v.object({
    currentPassword: v.pipe(v.string(), v.nonEmpty("Enter your current password.")),
    password: newPassword,
    confirmPassword: confirmedPassword,
  }),
  v.forward(v.partialCheck([["password"], ["confirmPassword"]], passwordsMatch, PASSWORD_MISMATCH), [
    "confirmPassword",
  ]),
);

export type PasswordChange = v.InferOutput<typeof passwordSchema>;

export const closeSchema = v.object({ password: ownPassword });

export type Closing = v.InferOutput<typeof closeSchema>;
