import * as v from "valibot";
import {
  confirmedPassword,
  email,
  fullName,
  newPassword,
  PASSWORD_MISMATCH,
  passwordsMatch,
  phoneNumber,
} from "#lib/person-fields.ts";

export const signupSchema = v.pipe(
  v.object({
    name: fullName,
    email,
    phone: phoneNumber,
    password: newPassword,
    confirmPassword: confirmedPassword,
  }),
  v.forward(v.partialCheck([["password"], ["confirmPassword"]], passwordsMatch, PASSWORD_MISMATCH), [
    "confirmPassword",
  ]),
);

export type Signup = v.InferOutput<typeof signupSchema>;

export const SIGNUP_FIELDS = ["name", "email", "phone", "password", "confirmPassword"] as const;
export type SignupField = (typeof SIGNUP_FIELDS)[number];

export function isSignupField(name: string): name is SignupField {
  return SIGNUP_FIELDS.some((field) => field === name);
}
