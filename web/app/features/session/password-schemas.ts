import * as v from "valibot";
import { email, newPassword, PASSWORDS_DIFFER, passwordAgain, passwordsAgree } from "#lib/person-fields.ts";

export const forgotSchema = v.object({ email });

export type Forgot = v.InferOutput<typeof forgotSchema>;

export const resetSchema = v.pipe(
  v.object({ password: newPassword, confirmPassword: passwordAgain }),
  v.forward(v.partialCheck([["password"], ["confirmPassword"]], passwordsAgree, PASSWORDS_DIFFER), [
    "confirmPassword",
  ]),
);

export type Reset = v.InferOutput<typeof resetSchema>;
