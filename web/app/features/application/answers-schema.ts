import * as v from "valibot";
import { DEGREES, ROLES } from "#content/application.ts";
import { email, fullName, phoneNumber } from "#lib/person-fields.ts";

/** The rules of the form, once more on the server. Fields are called what the server calls them. */
const EXPERIENCE = "Enter your years of experience as a number from 0 to 50.";

const experience = v.pipe(
  v.string(),
  v.trim(),
  v.nonEmpty("Enter your years of experience; 0 if you have none."),
  v.check((text) => Number(text) >= 0 && Number(text) <= 50, EXPERIENCE),
  v.regex(/^\d+(\.\d{1,2})?$/, "Use at most two decimals, such as 0.5."),
);

const LINKEDIN = "Enter the whole address, such as https://www.linkedin.com/in/asha.";

const linkedin = v.pipe(
  v.string(),
  v.trim(),
  v.maxLength(300, "This address is too long."),
  v.check((text) => text === "" || isWebAddress(text), LINKEDIN),
);

function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

function oneOf<const Value extends string>(choices: readonly { value: Value }[], message: string) {
  const values = choices.map(({ value }) => value);
  return v.pipe(v.string(), v.picklist(values, message));
}

/** What a candidate may correct later. */
export const CORRECTABLE = {
  name: fullName,
  mobile: phoneNumber,
  college: v.pipe(
    v.string(),
    v.trim(),
    v.nonEmpty("Enter your college."),
    v.maxLength(200, "Use at most 200 characters for your college."),
  ),
  degree: oneOf(DEGREES, "Choose your degree."),
  passingYear: v.pipe(v.string(), v.regex(/^\d{4}$/, "Choose your graduation year.")),
  experience,
  role: oneOf([{ value: "" }, ...ROLES], "Choose one of the roles."),
  linkedin,
  motivation: v.pipe(
    v.string(),
    v.trim(),
    v.nonEmpty("Tell us why you want this internship."),
    v.maxLength(5_000, "Use at most 5,000 characters."),
  ),
};

export const answersSchema = v.object({ email, ...CORRECTABLE });

export type Answers = v.InferOutput<typeof answersSchema>;

/** As they stand in the form. */
export type AnswerTexts = Record<keyof Answers, string>;

/** In the order of the form. */
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
