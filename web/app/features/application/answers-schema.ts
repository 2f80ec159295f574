import * as v from "valibot";
import { DEGREES, ROLES } from "#features/application/choices.ts";
import { email, fullName, phoneNumber } from "#lib/person-fields.ts";

// The server checks the same rules; the fields have the names of the API.

const EXPERIENCE = "Enter your years of experience as a number from 0 to 50.";

const experience = v.pipe(
  v.string(),
  v.trim(),
  v.nonEmpty("Enter your years of experience; 0 if you have none."),
  v.check((text) => Number(text) >= 0 && Number(text) <= 50, EXPERIENCE),
  v.regex(/^\d+(\.\d{1,2})?$/, "Use at most two decimals, such as 0.5."),
);

const LINKEDIN = "Enter the address of your profile, such as linkedin.com/in/asha.";

const linkedin = v.pipe(
  v.string(),
  v.trim(),
  v.transform(addHttps),
  v.maxLength(300, "This address is too long."),
  v.check((text) => text === "" || isWebAddress(text), LINKEDIN),
);

/** Adds `https://` to an address that begins with a domain, as apps and browsers show it. */
function addHttps(text: string): string {
  return /^[a-z\d-]+(\.[a-z\d-]+)+([/?#].*)?$/i.test(text) ? `https://${text}` : text;
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

function pickOne<const Value extends string>(choices: readonly { value: Value }[], message: string) {
  const values = choices.map(({ value }) => value);
  return v.pipe(v.string(), v.picklist(values, message));
}

/** The answers that a candidate can correct later. */
const CORRECTABLE_ANSWERS = {
  name: fullName,
  mobile: phoneNumber,
  college: v.pipe(
    v.string(),
    v.trim(),
    v.nonEmpty("Enter your college."),
    v.maxLength(200, "Use at most 200 characters for your college."),
  ),
  degree: pickOne(DEGREES, "Choose your degree."),
  passingYear: v.pipe(v.string(), v.regex(/^\d{4}$/, "Choose your graduation year.")),
  experience,
  role: pickOne([{ value: "" }, ...ROLES], "Choose one of the roles."),
  linkedin,
  motivation: v.pipe(
    v.string(),
    v.trim(),
    v.nonEmpty("Tell us why you want this internship."),
    v.maxLength(5_000, "Use at most 5,000 characters."),
  ),
};

export const answersSchema = v.object({ email, ...CORRECTABLE_ANSWERS });

export type Answers = v.InferOutput<typeof answersSchema>;

/** The answers as form values. */
export type AnswerTexts = Record<keyof Answers, string>;

/** Field names in the order of the form. */
export const ANSWER_FIELDS = [
  "name",
  "email",
  "mobile",
  "college",
  "degree",
  "passingYear",
  "experience",
  "role",
  "linkedin",
  "motivation",
] as const satisfies readonly (keyof Answers)[];

export const NO_ANSWERS: AnswerTexts = {
  name: "",
  email: "",
  mobile: "",
  college: "",
  degree: "",
  passingYear: "",
  experience: "",
  role: "",
  linkedin: "",
  motivation: "",
};
