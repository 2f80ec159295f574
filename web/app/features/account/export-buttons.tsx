import { Download } from "lucide-react";
import { useState } from "react";
import { api } from "#lib/api.ts";
import { istDate } from "#lib/format.ts";
import { failureMessage, NO_ANSWER } from "#lib/problem.ts";
import { attachmentName, saveFile } from "#lib/save-file.ts";
import { Button } from "#ui/button.tsx";
import { FormFailure } from "#ui/form-failure.tsx";

type Format = "json" | "csv" | "zip";

const CHOICES = [
  { format: "json", label: "Download everything (JSON)", hint: "Account, sessions, imports and trades" },
  { format: "csv", label: "Download trades (CSV)", hint: "For a spreadsheet" },
  { format: "zip", label: "Download screenshots (ZIP)", hint: "Pictures of your journal" },
] as const;

export function ExportButtons() {
  const [pending, setPending] = useState<Format>();
  const [status, setStatus] = useState("");
  const [failure, setFailure] = useState<string>();

  async function save(format: Format) {
    setPending(format);
    setFailure(undefined);
    setStatus("Preparing your file.");
    try {
      const { data, error, response } = await api.GET("/account/export", {
        params: { query: { format } },
        parseAs: "blob",
      });
      if (data)
        saveFile(
          attachmentName(response) ?? `tradebahi-${istDate(new Date().toISOString())}.${format}`,
          data,
        );
      else setFailure(failureMessage(response, error));
      setStatus(data ? "Your file was downloaded." : "");
    } catch (error) {
      console.error(error);
      setFailure(NO_ANSWER);
      setStatus("");
    }
    setPending(undefined);
  }

  return (
    <>
      <ul className="space-y-4">
        {CHOICES.map(({ format, label, hint }) => (
          <li key={format} className="flex flex-wrap items-center gap-x-4 gap-y-1">
            <Button
              variant="secondary"
              pending={pending === format}
              onClick={() => save(format)}
              icon={<Download size={17} aria-hidden />}
              className="max-sm:w-full"
            >
              {label}
            </Button>
            <span className="text-data text-ink-2">{hint}</span>
          </li>
        ))}
      </ul>
      <FormFailure>{failure}</FormFailure>
      <p role="status" className="text-ink-2 text-ui not-empty:mt-4">
        {status}
      </p>
    </>
  );
}
