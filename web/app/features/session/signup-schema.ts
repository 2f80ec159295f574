import * as v from "valibot";
import {
  email,
  fullName,
  newPassword,
  PASSWORDS_DIFFER,
  passwordAgain,
  passwordsAgree,
  phoneNumber,
} from "#lib/person-fields.ts";

export const signupSchema = v.pipe(
  v.object({
    name: fullName,
    email,
    phone: phoneNumber,
    password: newPassword,
    confirmPassword: passwordAgain,
  }),
  v.forward(v.partialCheck([["password"], ["confirmPassword"]], passwordsAgree, PASSWORDS_DIFFER), [
    "confirmPassword",
  ]),
);

export type Signup = v.InferOutput<typeof signupSchema>;

export const SIGNUP_FIELDS = ["name", "email", "phone", "password", "confirmPassword"] as const;
export type SignupField = (typeof SIGNUP_FIELDS)[number];

export function isSignupField(name: string): name is SignupField {
  return SIGNUP_FIELDS.some((field) => field === name);
}
