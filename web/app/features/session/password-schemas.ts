import * as v from "valibot";
import {
  confirmedPassword,
  email,
  newPassword,
  PASSWORD_MISMATCH,
  passwordsMatch,
} from "#lib/person-fields.ts";

export const forgotSchema = v.object({ email });

export type Forgot = v.InferOutput<typeof forgotSchema>;

export const resetSchema = v.pipe(
  v.object({ password: newPassword, confirmPassword: confirmedPassword }),
  v.forward(v.partialCheck([["password"], ["confirmPassword"]], passwordsMatch, PASSWORD_MISMATCH), [
    "confirmPassword",
  ]),
);

export type Reset = v.InferOutput<typeof resetSchema>;
