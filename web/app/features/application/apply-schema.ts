import * as v from "valibot";
import { ANSWER_FIELDS, answersSchema } from "#features/application/answers-schema.ts";

/** 5 MiB, the limit of the server. */
const MAX_RESUME_BYTES = 5 * 1024 * 1024;
const RESUME_NAME = /\.(pdf|docx?)$/i;

export const TOO_LARGE = "File size must be less than 5MB.";
export const FILE_KINDS = ".pdf,.doc,.docx";

const resume = v.pipe(
  v.optional(v.instance(File)),
  v.check((file) => file !== undefined, "Choose your resume."),
  v.check((file) => !file || RESUME_NAME.test(file.name), "Choose a PDF, DOC or DOCX file."),
  v.check((file) => !file || file.size > 0, "This file is empty. Choose another one."),
  v.check((file) => !file || file.size <= MAX_RESUME_BYTES, TOO_LARGE),
);

export const applySchema = v.object({
  ...answersSchema.entries,
  resume,
  consentApplication: v.pipe(
    v.boolean(),
    v.check((given) => given, "Agree that we use your details for this application."),
  ),
  consentLaterRoles: v.boolean(),
});

export type Apply = v.InferOutput<typeof applySchema>;

/** Field names in the order of the form; each is the id of its control. */
export const APPLY_FIELDS = [
  ...ANSWER_FIELDS.filter((name) => name !== "motivation"),
  "resume",
  "motivation",
  "consentApplication",
  "consentLaterRoles",
] as const satisfies readonly (keyof Apply)[];
