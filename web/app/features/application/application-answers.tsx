import { DEGREES, ROLES } from "#features/application/choices.ts";
import { FactList } from "#features/application/fact-list.tsx";
import type { CandidateApplication } from "#features/application/use-application.ts";
import { count, fileSize } from "#lib/format.ts";

/** Everything that the candidate sent. */
export function ApplicationAnswers({ application }: { application: CandidateApplication }) {
  const { answers, resume, consents } = application;
  return (
    <>
      <h2 className="mt-10 text-h4">What you sent</h2>
      <FactList
        name="What you sent"
        facts={[
          ["Full name", answers.name],
          ["Email", answers.email],
          ["Phone", answers.mobile],
          ["College", answers.college],
          ["Degree", DEGREES.find(({ value }) => value === answers.degree)?.label ?? answers.degree],
          ["Graduation year", String(answers.passingYear)],
          ["Years of experience", count(answers.experience)],
          ["Preferred role", ROLES.find(({ value }) => value === answers.role)?.label ?? "None"],
          ["LinkedIn", answers.linkedin ?? "None"],
          ["Motivation", answers.motivation],
          ["Resume", `${resume.fileName}, ${fileSize(resume.bytes)}`],
          ["Later roles", consents?.laterRoles ? "You agreed that we keep your details." : "Not agreed."],
        ]}
      />
    </>
  );
}
