import * as v from "valibot";
import {
  fullName,
  newPassword,
  PASSWORDS_DIFFER,
  passwordAgain,
  passwordsAgree,
  phoneNumber,
  phoneNumberOrNone,
} from "#lib/person-fields.ts";

const ownPassword = v.pipe(v.string(), v.nonEmpty("Enter your password."));

/** A number may be missing where there is none yet, and may not go away once there is one. */
export function profileSchema(hasPhone: boolean) {
  return v.object({ name: fullName, phone: hasPhone ? phoneNumber : phoneNumberOrNone });
}

export type Profile = { name: string; phone: string };

export const passwordSchema = v.pipe(
  v.object({
    currentPassword: v.pipe(v.string(), v.nonEmpty("Enter your current password.")),
    password: newPassword,
    confirmPassword: passwordAgain,
  }),
  v.forward(v.partialCheck([["password"], ["confirmPassword"]], passwordsAgree, PASSWORDS_DIFFER), [
    "confirmPassword",
  ]),
);

export type PasswordChange = v.InferOutput<typeof passwordSchema>;

export const closeSchema = v.object({ password: ownPassword });

export type Closing = v.InferOutput<typeof closeSchema>;
