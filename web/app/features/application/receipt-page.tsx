import { useEffect, useRef, useState } from "react";
import { Link } from "react-router";
import type { Opening } from "#content/openings.ts";
import { RECRUITMENT } from "#content/recruitment.ts";
import { CorrectEmail } from "#features/application/correct-email.tsx";
import { FactList } from "#features/application/fact-list.tsx";
import type { StoredApplication } from "#features/application/stored-application.ts";
import { dateTime, fileSize } from "#lib/format.ts";
import { ButtonLink } from "#ui/button.tsx";
import { TickedEntry } from "#ui/ticked-entry.tsx";

export type ReceiptPageProps = StoredApplication & {
  opening: Opening;
  /** Called after the address was corrected, which is possible once. */
  onChanged: (stored: StoredApplication) => void;
};

/** Confirms what the server stored, and explains the next steps. */
export function ReceiptPage({ opening, receipt, email: firstEmail, onChanged }: ReceiptPageProps) {
  const { applicationId, receivedAt, resume, receiptQueued, emailCorrectionToken } = receipt;
  const [email, setEmail] = useState(firstEmail);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    window.scrollTo(0, 0);
    heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <>
      <TickedEntry />
      <h1 ref={heading} tabIndex={-1} className="mt-9 text-h2">
        Application Submitted!
      </h1>
      <p className="mt-3 font-medium">We received your application for {opening.title}, with your resume.</p>
      <FactList
        name="Receipt"
        facts={[
          ["Number", applicationId],
          ["Received", dateTime(receivedAt)],
          ["Resume", `${resume.fileName}, ${fileSize(resume.bytes)}`],
          ["Reply to", email],
        ]}
      />
      <CorrectEmail
        token={emailCorrectionToken}
        email={email}
        onCorrected={(corrected) => {
          setEmail(corrected);
          // The server accepts an address only if it can send the receipt to it.
          onChanged({
            receipt: { ...receipt, receiptQueued: true, emailCorrectionToken: null },
            email: corrected,
          });
        }}
      />
      <h2 className="mt-10 text-h4">What happens next</h2>
      <ol className="mt-3 list-decimal space-y-2 pl-5 text-ink-2 marker:text-ink-3">
        {receiptQueued ? (
          <>
            <li>
              We are sending an email with this receipt to {email}. If it has not arrived in an hour, check
              your spam folder.
            </li>
            <li>
              The link in it shows the status of your application. There you can withdraw or delete it, and
              correct it until our review starts.
            </li>
          </>
        ) : (
          <li>
            We do not send this receipt by email: five receipts were sent to {email} today, which is the most
            for one address. Note the number above. To see, correct, withdraw or delete the application,{" "}
            <Link to="/application" className="link">
              ask for a link to it
            </Link>
            .
          </li>
        )}
        <li>
          If your profile matches, we will email you about the {RECRUITMENT.steps[0].title} (
          {RECRUITMENT.steps[0].duration}), the first of four steps.
        </li>
      </ol>
      <ButtonLink to="/" className="mt-8">
        Go to Home
      </ButtonLink>
    </>
  );
}
