import { DEGREES, ROLES } from "#content/application.ts";
import { Facts } from "#features/application/facts.tsx";
import type { OwnApplication } from "#features/application/use-own-application.ts";
import { count, fileSize } from "#lib/format.ts";

/** All that the candidate sent. */
export function OwnAnswers({ application: { answers, resume, consents } }: { application: OwnApplication }) {
  return (
    <>
      <h2 className="mt-10 text-h4">What you sent</h2>
      <Facts
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
          ["Later roles", consents?.laterRoles ? "You agreed that we keep this for them." : "Not agreed."],
        ]}
      />
    </>
  );
}
