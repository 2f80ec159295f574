import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { tenDigits } from "#lib/person-fields.ts";
import { loginSchema } from "./login-schema.ts";
import { signupSchema } from "./signup-schema.ts";

const VALID = {
  name: "Asha Rao",
  email: "asha@example.in",
  phone: "9845012345",
  password: "open sesame",
  confirmPassword: "open sesame",
};

/** Returns the first message of each field, which the form shows. */
function messages(change: Partial<typeof VALID>): Record<string, string> {
  const { issues = [] } = v.safeParse(signupSchema, { ...VALID, ...change });
  const shown: Record<string, string> = {};
  for (const issue of issues) shown[v.getDotPath(issue) ?? ""] ??= issue.message;
  return shown;
}

describe("registration", () => {
  test("accepts a complete form, trimmed, with ten digits as the phone number", () => {
    const sent = { ...VALID, name: " Asha Rao ", email: " asha@example.in ", phone: "+91 98450-12345" };
    expect(v.parse(signupSchema, sent)).toEqual(VALID);
  });

  test("keeps the password exactly as typed", () => {
    const password = "  padded pass ";
    expect(v.parse(signupSchema, { ...VALID, password, confirmPassword: password }).password).toBe(password);
  });

  test.each([
    [{ name: "   " }, { name: "Enter your full name." }],
    [{ email: "" }, { email: "Enter your email." }],
    [{ email: "asha" }, { email: "Enter an email like asha@example.in." }],
    [{ phone: "" }, { phone: "Enter your phone number." }],
    [{ phone: "984501234" }, { phone: "Enter a 10-digit phone number. This one has 9 digits." }],
    [
      { password: "short", confirmPassword: "short" },
      { password: "Use at least 8 characters for your password." },
    ],
    [
      { password: "x".repeat(129), confirmPassword: "x".repeat(129) },
      { password: "Use at most 128 characters for your password." },
    ],
    [{ confirmPassword: "open sesam" }, { confirmPassword: "The passwords do not match." }],
    [{ confirmPassword: "" }, { confirmPassword: "Type the password again." }],
  ])("%o", (change, expected) => expect(messages(change)).toEqual(expected));

  test("reports different passwords together with other errors", () => {
    expect(messages({ name: "", confirmPassword: "else" })).toEqual({
      name: "Enter your full name.",
      confirmPassword: "The passwords do not match.",
    });
  });
});

describe("login", () => {
  test("accepts an email address or a phone number and trims it", () => {
    expect(v.parse(loginSchema, { email: " 98450 12345 ", password: " p " })).toEqual({
      email: "98450 12345",
      password: " p ",
    });
  });

  test.each([
    [{ email: " ", password: "x" }, "Enter your email or phone number."],
    [{ email: "x", password: "" }, "Enter your password."],
  ])("%o", (input, message) => expect(v.safeParse(loginSchema, input).issues?.[0].message).toBe(message));
});

describe("ten digits", () => {
  test.each([
    ["98450 12345", "9845012345"],
    ["+91 98450 12345", "9845012345"],
    ["098450-12345", "9845012345"],
    ["9198450123", "9198450123"],
    ["984501", "984501"],
    ["call me", ""],
  ])("%s becomes %s", (typed, digits) => expect(tenDigits(typed)).toBe(digits));
});
