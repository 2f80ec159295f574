import * as v from "valibot";
import { tenDigits } from "#features/session/phone.ts";

/** Counts what a reader would call characters: an emoji in a password is one. */
const characters = (text: string) => Array.from(text).length;

export const signupSchema = v.pipe(
  v.object({
    name: v.pipe(
      v.string(),
      v.trim(),
      v.nonEmpty("Enter your full name."),
      v.maxLength(100, "Use at most 100 characters for your name."),
    ),
    email: v.pipe(
      v.string(),
      v.trim(),
      v.nonEmpty("Enter your email."),
      v.email("Enter an email like asha@example.in."),
      v.maxLength(254, "This email is too long."),
    ),
    phone: v.pipe(
      v.string(),
      v.nonEmpty("Enter your phone number."),
      v.transform(tenDigits),
      v.length(
        10,
        ({ input }) => `Enter a 10-digit phone number. This one has ${String(input).length} digits.`,
      ),
    ),
    password: v.pipe(
      v.string(),
      v.nonEmpty("Choose a password."),
      v.check((text) => characters(text) >= 8, "Use at least 8 characters for your password."),
      v.check((text) => characters(text) <= 128, "Use at most 128 characters for your password."),
    ),
    confirmPassword: v.pipe(v.string(), v.nonEmpty("Type the password again.")),
  }),
  v.forward(
    v.partialCheck(
      [["password"], ["confirmPassword"]],
      ({ password, confirmPassword }) => confirmPassword === "" || password === confirmPassword,
      "The two passwords differ.",
    ),
    ["confirmPassword"],
  ),
);

export type Signup = v.InferOutput<typeof signupSchema>;

export const SIGNUP_FIELDS = ["name", "email", "phone", "password", "confirmPassword"] as const;
export type SignupField = (typeof SIGNUP_FIELDS)[number];

export function isSignupField(name: string): name is SignupField {
  return SIGNUP_FIELDS.some((field) => field === name);
}
