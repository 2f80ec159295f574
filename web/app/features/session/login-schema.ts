import * as v from "valibot";

export const loginSchema = v.object({
  email: v.pipe(v.string(), v.trim(), v.nonEmpty("Enter your email or phone number.")),
  password: v.pipe(v.string(), v.nonEmpty("Enter your password.")),
});

export type Login = v.InferOutput<typeof loginSchema>;
