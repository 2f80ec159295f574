import * as v from "valibot";
import { expect, test } from "vitest";
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

/** The first message of each field at fault. */
function faults(change: Partial<Record<keyof typeof FILLED, unknown>>): Record<string, string> {
  const { issues = [] } = v.safeParse(applySchema, { ...FILLED, ...change });
  const found: Record<string, string> = {};
  for (const issue of issues) found[v.getDotPath(issue) ?? ""] ??= issue.message;
  return found;
}

const file = (name: string, bytes: number) => new File([new Uint8Array(bytes)], name);

test("[5A-01] [5A-02] all is asked for but the role, LinkedIn and the second consent", () => {
  expect(faults({})).toEqual({});
  const empty = Object.fromEntries(
    Object.entries(FILLED).map(([name, value]) => [name, typeof value === "string" ? "" : undefined]),
  );
  const missing = Object.keys(faults({ ...empty, consentApplication: false, consentLaterRoles: false }));
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
])("[5A-04] [5A-05] [9A-02] [9A-03] refused: %s", (_, change, message) => {
  expect(faults(change)).toEqual(message);
});

test.each([{ experience: "50" }, { experience: "0.25" }, { role: "AIML" }, { mobile: "+91 98450 12345" }])(
  "taken: %o",
  (change) => {
    expect(faults(change)).toEqual({});
  },
);

test("[5A-02] LinkedIn is a whole web address, or nothing", () => {
  for (const linkedin of ["", "https://www.linkedin.com/in/asha", " http://linkedin.com/in/asha "])
    expect(faults({ linkedin })).toEqual({});
  for (const linkedin of ["linkedin.com/in/asha", "javascript:alert(1)", "https://", "asha"])
    expect(Object.keys(faults({ linkedin }))).toEqual(["linkedin"]);
});

test("[5A-06] [5A-07] [8E-04] [9A-01] a resume is a PDF, DOC or DOCX of at most 5 MB", () => {
  const limit = 5_242_880;
  for (const name of ["a.pdf", "a.PDF", "a.doc", "a.docx"])
    expect(faults({ resume: file(name, 10) })).toEqual({});
  expect(faults({ resume: file("a.pdf", limit) })).toEqual({});
  expect(faults({ resume: file("a.pdf", limit + 1) })).toEqual({
    resume: "File size must be less than 5MB.",
  });
  for (const name of ["a.odt", "a.pdf.exe", "docx"])
    expect(faults({ resume: file(name, 10) })).toEqual({ resume: "Choose a PDF, DOC or DOCX file." });
  expect(faults({ resume: file("a.pdf", 0) })).toEqual({ resume: "This file is empty. Choose another one." });
  expect(faults({ resume: undefined })).toEqual({ resume: "Choose your resume." });
});

test("[5A-08] [9A-05] a short motivation is taken, none is not", () => {
  expect(faults({ motivation: "Ledgers." })).toEqual({});
  expect(faults({ motivation: "  " })).toEqual({ motivation: "Tell us why you want this internship." });
  expect(faults({ motivation: "a".repeat(5_001) })).toEqual({ motivation: "Use at most 5,000 characters." });
});
