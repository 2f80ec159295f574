import { Download, Pencil } from "lucide-react";
import { useState } from "react";
import { type OwnApplication, withKey } from "#features/application/use-own-application.ts";
import { careersApi } from "#lib/api.ts";
import { date } from "#lib/format.ts";
import { failureLine, NO_ANSWER } from "#lib/problem.ts";
import { saveFile } from "#lib/save-file.ts";
import { Button } from "#ui/button.tsx";
import { Checkbox } from "#ui/checkbox.tsx";
import { Dialog } from "#ui/dialog.tsx";
import { FormFailure } from "#ui/form-failure.tsx";

type Act = "export" | "resume" | "later" | "withdraw" | "erase";

export type OwnActionsProps = {
  applicationKey: string;
  application: OwnApplication;
  onCorrect: () => void;
  onChanged: (application: OwnApplication) => void;
  onErased: () => void;
};

/** What a candidate can do with the own application. What cannot be taken back asks first. */
export function OwnActions({ applicationKey, application, onCorrect, onChanged, onErased }: OwnActionsProps) {
  const [asked, setAsked] = useState<"withdraw" | "erase">();
  const [running, setRunning] = useState<Act>();
  const [failure, setFailure] = useState<string>();
  const [keeping, setKeeping] = useState<boolean>();
  const { applicationId, step, withdrawnAt, resume, consents, keptUntil } = application;
  const own = withKey(applicationKey);

  /** Does one thing at a time, and says it where it did not work. */
  async function run(act: Act, request: () => Promise<{ response: Response; error?: unknown }>) {
    if (running) return;
    setRunning(act);
    setFailure(undefined);
    try {
      const { response, error } = await request();
      if (!response.ok) setFailure(failureLine(response, error));
    } catch (error) {
      console.error(error);
      setFailure(NO_ANSWER);
    }
    setRunning(undefined);
    setAsked(undefined);
  }

  const save = () =>
    run("export", async () => {
      const answer = await careersApi.GET("/api/application", own);
      const { data } = answer;
      if (data) {
        const text = JSON.stringify(data, null, 2);
        saveFile(`application-${applicationId}.json`, new Blob([text], { type: "application/json" }));
      }
      return answer;
    });
  const saveResume = () =>
    run("resume", async () => {
      const answer = await careersApi.GET("/api/application/resume", { ...own, parseAs: "blob" });
      if (answer.data) saveFile(resume.fileName, answer.data);
      return answer;
    });
  const keepForLater = async (agreed: boolean) => {
    setKeeping(agreed);
    await run("later", async () => {
      const path = "/api/application/later-roles";
      const answer = await (agreed ? careersApi.PUT(path, own) : careersApi.DELETE(path, own));
      if (answer.data) onChanged(answer.data);
      return answer;
    });
    setKeeping(undefined);
  };
  const withdraw = () =>
    run("withdraw", async () => {
      const answer = await careersApi.POST("/api/application/withdraw", own);
      if (answer.data) onChanged(answer.data);
      return answer;
    });
  const erase = () =>
    run("erase", async () => {
      const answer = await careersApi.DELETE("/api/application", own);
      if (answer.response.ok) onErased();
      return answer;
    });

  return (
    <section aria-labelledby="actions" className="mt-10">
      <h2 id="actions" className="text-h4">
        Your say
      </h2>
      {consents && (
        <Checkbox
          checked={keeping ?? consents.laterRoles}
          onChange={(event) => void keepForLater(event.target.checked)}
          disabled={running !== undefined && running !== "later"}
          className="mt-2"
        >
          Keep my details for later roles, until {date(keptUntil)}.
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
            Correct the answers
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
        {!withdrawnAt && (
          <Button variant="danger" onClick={() => setAsked("withdraw")} className={WIDE}>
            Withdraw
          </Button>
        )}
        <Button variant="danger" onClick={() => setAsked("erase")} className={WIDE}>
          Erase
        </Button>
      </div>
      <FormFailure>{failure}</FormFailure>
      <Confirm
        open={asked === "withdraw"}
        title="Withdraw your application?"
        text="Nobody goes on with it. You cannot take this back, but you can apply again."
        yes="Withdraw application"
        pending={running === "withdraw"}
        onYes={withdraw}
        onNo={() => setAsked(undefined)}
      />
      <Confirm
        open={asked === "erase"}
        title="Erase your application?"
        text="Your answers and your resume are gone at once, and with them this page. You cannot take this back."
        yes="Erase everything"
        pending={running === "erase"}
        onYes={erase}
        onNo={() => setAsked(undefined)}
      />
    </section>
  );
}

const WIDE = "max-sm:w-full";

type ConfirmProps = {
  open: boolean;
  title: string;
  text: string;
  yes: string;
  pending: boolean;
  onYes: () => void;
  onNo: () => void;
};

function Confirm({ open, title, text, yes, pending, onYes, onNo }: ConfirmProps) {
  return (
    <Dialog
      open={open}
      onClose={onNo}
      title={title}
      actions={
        <>
          <Button variant="secondary" onClick={onNo} data-autofocus>
            Cancel
          </Button>
          <Button variant="danger" pending={pending} onClick={onYes}>
            {yes}
          </Button>
        </>
      }
    >
      <p>{text}</p>
    </Dialog>
  );
}
