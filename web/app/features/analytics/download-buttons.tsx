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
  /** Name of the file with its extension, unless the server sends one. */
  fileName: string;
};

export type DownloadButtonsProps<Format> = {
  /** Content of the files, such as "Tax pack". */
  label: string;
  files: readonly DownloadFile<Format>[];
  load: (format: Format) => Promise<{ data?: Blob | undefined; error?: unknown; response: Response }>;
};

/** Returns a file as CSV and as a workbook; `fileName` is without its extension. */
export function csvAndExcel(fileName: string): DownloadFile<FileFormat>[] {
  return [
    { format: "csv", name: "CSV", fileName: `${fileName}.csv` },
    { format: "xlsx", name: "Excel", fileName: `${fileName}.xlsx` },
  ];
}

/** Buttons that download files, with the message of a failure. */
export function DownloadButtons<Format extends string>({ label, files, load }: DownloadButtonsProps<Format>) {
  const [busy, setBusy] = useState<Format>();
  const [failure, setFailure] = useState("");

  async function download({ format, fileName }: DownloadFile<Format>) {
    setBusy(format);
    try {
      const { data, error, response } = await load(format);
      if (data) saveFile(attachmentName(response) ?? fileName, data);
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
          onClick={() => void download(file)}
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
