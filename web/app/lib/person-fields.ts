import * as v from "valibot";
import { tenDigits } from "#lib/phone.ts";

/** Counts what a reader would call characters: an emoji in a password is one. */
const characters = (text: string) => Array.from(text).length;

export const fullName = v.pipe(
  v.string(),
  v.trim(),
  v.nonEmpty("Enter your full name."),
  v.maxLength(100, "Use at most 100 characters for your name."),
);

export const email = v.pipe(
  v.string(),
  v.trim(),
  v.nonEmpty("Enter your email."),
  v.email("Enter an email like asha@example.in."),
  v.maxLength(254, "This email is too long."),
);

const inDigits = v.pipe(
  v.string(),
  v.transform(tenDigits),
  v.length(10, ({ input }) => `Enter a 10-digit phone number. This one has ${String(input).length} digits.`),
);

export const phoneNumber = v.pipe(v.string(), v.nonEmpty("Enter your phone number."), inDigits);

/** Of an account that Google made, which may have none. */
export const phoneNumberOrNone = v.union([v.literal(""), inDigits]);

export const newPassword = v.pipe(
  v.string(),
  v.nonEmpty("Choose a password."),
  v.check((text) => characters(text) >= 8, "Use at least 8 characters for your password."),
  v.check((text) => characters(text) <= 128, "Use at most 128 characters for your password."),
);

export const passwordAgain = v.pipe(v.string(), v.nonEmpty("Type the password again."));

type TwoPasswords = { password: string; confirmPassword: string };

/** Judged once there are two. */
export function passwordsAgree({ password, confirmPassword }: TwoPasswords): boolean {
  return confirmPassword === "" || password === confirmPassword;
}

export const PASSWORDS_DIFFER = "The two passwords differ.";
