import { type FormEvent, lazy, Suspense, useRef, useState } from "react";
import type { FileReport, Inspected } from "#features/inspect/inspect-file.ts";
import { Button } from "#ui/button.tsx";
import { FilePicker } from "#ui/file-picker.tsx";

// Loaded when a file is uploaded.
const Banner = lazy(async () => ({ default: (await import("#ui/banner.tsx")).Banner }));
const Progress = lazy(async () => ({ default: (await import("#ui/progress.tsx")).Progress }));

const NO_FILE = "Please select a file first.";
const KINDS = ".xlsx,.xls";

type State = { phase: "idle" } | { phase: "sending"; share: number } | { phase: "failed"; text: string };

export type InspectFormProps = {
  /** Called with the report of a file, and with undefined when another upload starts. */
  onReport: (report: FileReport | undefined) => void;
};

export function InspectForm({ onReport }: InspectFormProps) {
  const picker = useRef<HTMLInputElement>(null);
  const [file, setFile] = useState<File>();
  const [error, setError] = useState<string>();
  const [state, setState] = useState<State>({ phase: "idle" });
  const sending = state.phase === "sending";

  async function send(event: FormEvent) {
    event.preventDefault();
    if (!file) {
      setError(NO_FILE);
      picker.current?.focus();
      return;
    }
    onReport(undefined);
    setState({ phase: "sending", share: 0 });
    const outcome = await inspect(file, (share) => setState({ phase: "sending", share }));
    if (outcome.kind === "failed") return setState({ phase: "failed", text: outcome.text });
    setState({ phase: "idle" });
    onReport(outcome.report);
  }

  return (
    <form noValidate onSubmit={(event) => void send(event)}>
      <FilePicker
        ref={picker}
        label="Excel file"
        kinds={KINDS}
        hint="XLSX or XLS, up to 32 MiB"
        file={file}
        error={error}
        onChange={(chosen) => {
          setFile(chosen);
          setError(undefined);
          setState({ phase: "idle" });
        }}
      />
      {sending && (
        <div className="mt-6">
          <p className="mb-2 font-semibold text-ui">{state.share < 1 ? "Sending" : "Reading"}</p>
          <Suspense>
            <Progress
              label={state.share < 1 ? "Sending the file" : "Reading the file"}
              {...(state.share < 1 && { value: state.share })}
            />
          </Suspense>
        </div>
      )}
      {state.phase === "failed" && (
        <Suspense>
          <Banner tone="loss" role="alert" title="Upload failed" className="mt-6">
            {state.text}
          </Banner>
        </Suspense>
      )}
      <Button type="submit" pending={sending} className="mt-6 max-sm:w-full">
        Upload
      </Button>
    </form>
  );
}

/** Loads the upload code on first use and uploads the file. */
async function inspect(file: File, onProgress: (share: number) => void): Promise<Inspected> {
  try {
    const { inspectFile } = await import("#features/inspect/inspect-file.ts");
    return await inspectFile(file, onProgress);
  } catch (error) {
    console.warn("The upload failed.", error);
    return { kind: "failed", text: "The server could not be reached." };
  }
}
