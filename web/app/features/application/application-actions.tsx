import { Download, Pencil } from "lucide-react";
import { useState } from "react";
import { ConfirmDialog } from "#features/application/confirm-dialog.tsx";
import { type CandidateApplication, withKey } from "#features/application/use-application.ts";
import { careersApi } from "#lib/api.ts";
import { failureMessage, NO_ANSWER } from "#lib/problem.ts";
import { saveFile } from "#lib/save-file.ts";
import { Button } from "#ui/button.tsx";
import { Checkbox } from "#ui/checkbox.tsx";
import { FormFailure } from "#ui/form-failure.tsx";

type Action = "export" | "resume" | "later" | "link" | "withdraw" | "delete";

export type ApplicationActionsProps = {
  applicationKey: string;
  application: CandidateApplication;
  onCorrect: () => void;
  onChanged: (application: CandidateApplication) => void;
  /** Called after the confirmation has closed, so that the focus can move. */
  onWithdrawn: (application: CandidateApplication) => void;
  onDeleted: () => void;
  /** Called after the link of this page was revoked. */
  onLinkReplaced: () => void;
};

/** Actions of a candidate on the application. Actions that cannot be undone ask for confirmation. */
export function ApplicationActions({
  applicationKey,
  application,
  onCorrect,
  onChanged,
  onWithdrawn,
  onDeleted,
  onLinkReplaced,
}: ApplicationActionsProps) {
  const [confirming, setConfirming] = useState<"link" | "withdraw" | "delete">();
  const [running, setRunning] = useState<Action>();
  const [failure, setFailure] = useState<string>();
  const [pendingConsent, setPendingConsent] = useState<boolean>();
  const { applicationId, step, withdrawnAt, resume, consents, answers } = application;
  const options = withKey(applicationKey);

  /** Runs one action at a time and shows its error. Returns the data of a successful response. */
  async function run<Data>(
    action: Action,
    request: () => Promise<{ response: Response; error?: unknown; data?: Data }>,
  ): Promise<Data | undefined> {
    if (running) return undefined;
    setRunning(action);
    setFailure(undefined);
    let data: Data | undefined;
    try {
      const { response, error, ...result } = await request();
      data = result.data;
      if (!response.ok) setFailure(failureMessage(response, error));
    } catch (error) {
      console.error(error);
      setFailure(NO_ANSWER);
    }
    setRunning(undefined);
    setConfirming(undefined);
    return data;
  }

  const save = () =>
    run("export", async () => {
      const result = await careersApi.GET("/api/application", options);
      const { data } = result;
      if (data) {
        const text = JSON.stringify(data, null, 2);
        saveFile(`application-${applicationId}.json`, new Blob([text], { type: "application/json" }));
      }
      return result;
    });
  const saveResume = () =>
    run("resume", async () => {
      const result = await careersApi.GET("/api/application/resume", { ...options, parseAs: "blob" });
      if (result.data) saveFile(resume.fileName, result.data);
      return result;
    });
  const keepForLater = async (agreed: boolean) => {
    setPendingConsent(agreed);
    await run("later", async () => {
      const path = "/api/application/later-roles";
      const result = await (agreed ? careersApi.PUT(path, options) : careersApi.DELETE(path, options));
      if (result.data) onChanged(result.data);
      return result;
    });
    setPendingConsent(undefined);
  };
  const withdraw = async () => {
    const withdrawn = await run("withdraw", () => careersApi.POST("/api/application/withdraw", options));
    if (withdrawn) onWithdrawn(withdrawn);
  };
  const replaceLink = () =>
    run("link", async () => {
      const result = await careersApi.POST("/api/application/link", options);
      if (result.response.ok) onLinkReplaced();
      return result;
    });
  const deleteApplication = () =>
    run("delete", async () => {
      const result = await careersApi.DELETE("/api/application", options);
      if (result.response.ok) onDeleted();
      return result;
    });

  return (
    <section aria-labelledby="actions" className="mt-10">
      <h2 id="actions" className="text-h4">
        Manage your application
      </h2>
      {consents && !withdrawnAt && (
        <Checkbox
          checked={pendingConsent ?? consents.laterRoles}
          onChange={(event) => void keepForLater(event.target.checked)}
          disabled={running !== undefined && running !== "later"}
          className="mt-2"
        >
          Keep my details for later roles, for 12 months after the last step.
        </Checkbox>
      )}
      <div className="mt-4 flex flex-wrap gap-3">
        {step === "received" && !withdrawnAt && (
          <Button
            variant="secondary"
            icon={<Pencil size={17} aria-hidden />}
            onClick={onCorrect}
            className={WIDE}
          >
            Correct answers
          </Button>
        )}
        <Button
          variant="secondary"
          icon={<Download size={17} aria-hidden />}
          pending={running === "export"}
          onClick={save}
          className={WIDE}
        >
          Download my data (JSON)
        </Button>
        <Button
          variant="secondary"
          icon={<Download size={17} aria-hidden />}
          pending={running === "resume"}
          onClick={saveResume}
          className={WIDE}
        >
          Download my resume
        </Button>
        <Button variant="secondary" onClick={() => setConfirming("link")} className={WIDE}>
          Replace this link
        </Button>
        {!withdrawnAt && (
          <Button variant="danger" onClick={() => setConfirming("withdraw")} className={WIDE}>
            Withdraw
          </Button>
        )}
        <Button variant="danger" onClick={() => setConfirming("delete")} className={WIDE}>
          Delete
        </Button>
      </div>
      <FormFailure>{failure}</FormFailure>
      <ConfirmDialog
        open={confirming === "link"}
        title="Replace the link to this page?"
        text={`All links that we have emailed stop working. We send a new one to ${answers.email}.`}
        confirmLabel="Replace link"
        pending={running === "link"}
        onConfirm={replaceLink}
        onCancel={() => setConfirming(undefined)}
      />
      <ConfirmDialog
        open={confirming === "withdraw"}
        title="Withdraw your application?"
        text="We stop processing it and delete it after 30 days, also if you agreed that we keep it for later roles. You cannot undo this, but you can apply again."
        confirmLabel="Withdraw application"
        pending={running === "withdraw"}
        onConfirm={withdraw}
        onCancel={() => setConfirming(undefined)}
      />
      <ConfirmDialog
        open={confirming === "delete"}
        title="Delete your application?"
        text="Your answers, your resume and this page are deleted immediately. You cannot undo this."
        confirmLabel="Delete application"
        pending={running === "delete"}
        onConfirm={deleteApplication}
        onCancel={() => setConfirming(undefined)}
      />
    </section>
  );
}

const WIDE = "max-sm:w-full";
