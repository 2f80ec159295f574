import { Download } from "lucide-react";
import { useState } from "react";
import { failureMessage, NO_ANSWER } from "#lib/problem.ts";
import { attachmentName, saveFile } from "#lib/save-file.ts";
import { Button } from "#ui/button.tsx";

export type FileFormat = "csv" | "xlsx";

/** File that can be downloaded. */
type DownloadFile<Format> = {
  format: Format;
  /** Text of the button, such as "Excel". */
  name: string;
};

export type DownloadButtonsProps<Format> = {
  /** Content of the files, such as "Tax pack". */
  label: string;
  files: readonly DownloadFile<Format>[];
  load: (format: Format) => Promise<{ data?: Blob | undefined; error?: unknown; response: Response }>;
};

/** The same content as CSV and as a workbook. */
export const CSV_AND_EXCEL: readonly DownloadFile<FileFormat>[] = [
  { format: "csv", name: "CSV" },
  { format: "xlsx", name: "Excel" },
];

/** Buttons that download files, with the message of a failure. */
export function DownloadButtons<Format extends string>({ label, files, load }: DownloadButtonsProps<Format>) {
  const [busy, setBusy] = useState<Format>();
  const [failure, setFailure] = useState("");

  async function download(format: Format) {
    setBusy(format);
    try {
      const { data, error, response } = await load(format);
      if (data) saveFile(attachmentName(response) ?? `tradebahi.${format}`, data);
      setFailure(data ? "" : failureMessage(response, error));
    } catch (error) {
      console.error(error);
      setFailure(NO_ANSWER);
    }
    setBusy(undefined);
  }

  return (
    <>
      {files.map((file) => (
        <Button
          key={file.format}
          variant="secondary"
          size="sm"
          icon={<Download size={16} aria-hidden />}
          pending={busy === file.format}
          onClick={() => void download(file.format)}
          className="px-3! text-data!"
        >
          <span className="sr-only">{label} as </span>
          {file.name}
        </Button>
      ))}
      {failure && (
        <p role="alert" className="w-full font-semibold text-data text-loss">
          {failure}
        </p>
      )}
    </>
  );
}
