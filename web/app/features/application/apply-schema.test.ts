import * as v from "valibot";
import { expect, test } from "vitest";
import { answersSchema } from "./answers-schema.ts";
import { APPLY_FIELDS, applySchema } from "./apply-schema.ts";

const FILLED = {
  name: "Asha Rao",
  email: "asha@example.in",
  mobile: "9845012345",
  college: "CET, Thiruvananthapuram",
  degree: "btech",
  passingYear: "2027",
  experience: "0",
  role: "",
  linkedin: "",
  motivation: "I keep books.",
  resume: new File(["%PDF-1.7"], "asha.pdf"),
  consentApplication: true,
  consentLaterRoles: false,
};

/** Returns the first message of each invalid field. */
function errors(change: Partial<Record<keyof typeof FILLED, unknown>>): Record<string, string> {
  const { issues = [] } = v.safeParse(applySchema, { ...FILLED, ...change });
  const messages: Record<string, string> = {};
  for (const issue of issues) messages[v.getDotPath(issue) ?? ""] ??= issue.message;
  return messages;
}

const file = (name: string, bytes: number) => new File([new Uint8Array(bytes)], name);

test("[5A-01] [5A-02] requires everything except the role, LinkedIn and the second consent", () => {
  expect(errors({})).toEqual({});
  const empty = Object.fromEntries(
    Object.entries(FILLED).map(([name, value]) => [name, typeof value === "string" ? "" : undefined]),
  );
  const missing = Object.keys(errors({ ...empty, consentApplication: false, consentLaterRoles: false }));
  expect(missing.sort()).toEqual(
    APPLY_FIELDS.filter((name) => !["role", "linkedin", "consentLaterRoles"].includes(name)).sort(),
  );
});

test.each([
  ["not an address", { email: "asha" }, { email: "Enter an email like asha@example.in." }],
  [
    "nine digits",
    { mobile: "984501234" },
    { mobile: "Enter a 10-digit phone number. This one has 9 digits." },
  ],
  [
    "eleven digits",
    { mobile: "98450123456" },
    { mobile: "Enter a 10-digit phone number. This one has 11 digits." },
  ],
  ["another degree", { degree: "phd" }, { degree: "Choose your degree." }],
  ["another role", { role: "contentwriter" }, { role: "Choose one of the roles." }],
  ["no year", { passingYear: "" }, { passingYear: "Choose your graduation year." }],
  [
    "below zero",
    { experience: "-1" },
    { experience: "Enter your years of experience as a number from 0 to 50." },
  ],
  [
    "above fifty",
    { experience: "50.5" },
    { experience: "Enter your years of experience as a number from 0 to 50." },
  ],
  [
    "no number",
    { experience: "two" },
    { experience: "Enter your years of experience as a number from 0 to 50." },
  ],
  ["three decimals", { experience: "0.125" }, { experience: "Use at most two decimals, such as 0.5." }],
  [
    "no consent",
    { consentApplication: false },
    { consentApplication: "Agree that we use your details for this application." },
  ],
])("[5A-04] [5A-05] [9A-02] [9A-03] rejects %s", (_, change, message) => {
  expect(errors(change)).toEqual(message);
});

test.each([{ experience: "50" }, { experience: "0.25" }, { role: "AIML" }, { mobile: "+91 98450 12345" }])(
  "accepts %o",
  (change) => {
    expect(errors(change)).toEqual({});
  },
);

test("[5A-02] LinkedIn is a web address or empty, and https:// is added where it is missing", () => {
  for (const [linkedin, stored] of [
    ["", ""],
    ["https://www.linkedin.com/in/asha", "https://www.linkedin.com/in/asha"],
    [" http://linkedin.com/in/asha ", "http://linkedin.com/in/asha"],
    ["linkedin.com/in/asha", "https://linkedin.com/in/asha"],
    [" www.LinkedIn.com/in/asha?trk=x ", "https://www.LinkedIn.com/in/asha?trk=x"],
  ])
    expect(v.parse(answersSchema.entries.linkedin, linkedin)).toBe(stored);
  for (const linkedin of [
    "javascript:alert(1)",
    "https://",
    "asha",
    "asha@example.in",
    "in/asha",
    "linkedin.com /x",
  ])
    expect(Object.keys(errors({ linkedin }))).toEqual(["linkedin"]);
});

test("[5A-06] [5A-07] [8E-04] [9A-01] a resume is a PDF, DOC or DOCX of at most 5 MB", () => {
  const limit = 5_242_880;
  for (const name of ["a.pdf", "a.PDF", "a.doc", "a.docx"])
    expect(errors({ resume: file(name, 10) })).toEqual({});
  expect(errors({ resume: file("a.pdf", limit) })).toEqual({});
  expect(errors({ resume: file("a.pdf", limit + 1) })).toEqual({
    resume: "File size must be less than 5MB.",
  });
  for (const name of ["a.odt", "a.pdf.exe", "docx"])
    expect(errors({ resume: file(name, 10) })).toEqual({ resume: "Choose a PDF, DOC or DOCX file." });
  expect(errors({ resume: file("a.pdf", 0) })).toEqual({ resume: "This file is empty. Choose another one." });
  expect(errors({ resume: undefined })).toEqual({ resume: "Choose your resume." });
});

test("[5A-08] [9A-05] accepts a short motivation, rejects an empty one", () => {
  expect(errors({ motivation: "Ledgers." })).toEqual({});
  expect(errors({ motivation: "  " })).toEqual({ motivation: "Tell us why you want this internship." });
  expect(errors({ motivation: "a".repeat(5_001) })).toEqual({ motivation: "Use at most 5,000 characters." });
});
