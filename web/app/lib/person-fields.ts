import * as v from "valibot";

/** Returns the number of code points, so that an emoji in a password counts as one character. */
const characterCount = (text: string) => Array.from(text).length;

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

/** Returns the ten digits of an Indian number from typed or pasted text: +91 98450 12345, 098450-12345. */
export function tenDigits(input: string): string {
  const digits = input.replace(/\D/g, "");
  if (digits.length === 12 && digits.startsWith("91")) return digits.slice(2);
  if (digits.length === 11 && digits.startsWith("0")) return digits.slice(1);
  return digits;
}

const tenDigitNumber = v.pipe(
  v.string(),
  v.transform(tenDigits),
  v.length(10, ({ input }) => `Enter a 10-digit phone number. This one has ${String(input).length} digits.`),
);

export const phoneNumber = v.pipe(v.string(), v.nonEmpty("Enter your phone number."), tenDigitNumber);

/** Optional phone number, for accounts created with Google. */
export const optionalPhoneNumber = v.union([v.literal(""), tenDigitNumber]);

export const newPassword = v.pipe(
  v.string(),
  v.nonEmpty("Choose a password."),
  v.check((text) => characterCount(text) >= 8, "Use at least 8 characters for your password."),
  v.check((text) => characterCount(text) <= 128, "Use at most 128 characters for your password."),
);

export const confirmedPassword = v.pipe(v.string(), v.nonEmpty("Type the password again."));

type PasswordPair = { password: string; confirmPassword: string };

/** Compares the two passwords once both are filled in. */
export function passwordsMatch({ password, confirmPassword }: PasswordPair): boolean {
  return confirmPassword === "" || password === confirmPassword;
}

export const PASSWORD_MISMATCH = "The passwords do not match.";
