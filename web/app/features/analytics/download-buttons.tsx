import { Download } from "lucide-react";
import { useState } from "react";
import { failureMessage, NO_ANSWER } from "#lib/problem.ts";
import { saveFile } from "#lib/save-file.ts";
import { Button } from "#ui/button.tsx";

export type FileFormat = "csv" | "xlsx";

type DownloadButtonsProps = {
  /** Content of the file, such as "Tax pack". */
  label: string;
  /** Name of the file without its extension. */
  fileName: string;
  load: (format: FileFormat) => Promise<{ data?: Blob | undefined; error?: unknown; response: Response }>;
};

/** Buttons that download a file as CSV or Excel, with the message of a failure. */
export function DownloadButtons({ label, fileName, load }: DownloadButtonsProps) {
  const [busy, setBusy] = useState<FileFormat>();
  const [failure, setFailure] = useState("");

  async function download(format: FileFormat) {
    setBusy(format);
    try {
      const { data, error, response } = await load(format);
      if (data) saveFile(`${fileName}.${format}`, data);
      setFailure(data ? "" : failureMessage(response, error));
    } catch (error) {
      console.error(error);
      setFailure(NO_ANSWER);
    }
    setBusy(undefined);
  }

  return (
    <>
      {(["csv", "xlsx"] as const).map((format) => (
        <Button
          key={format}
          variant="secondary"
          size="sm"
          icon={<Download size={16} aria-hidden />}
          pending={busy === format}
          onClick={() => void download(format)}
          className="px-3! text-data!"
        >
          <span className="sr-only">{label} as </span>
          {format === "csv" ? "CSV" : "Excel"}
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
