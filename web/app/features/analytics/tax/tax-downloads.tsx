import { Printer } from "lucide-react";
import {
  CSV_AND_EXCEL,
  DownloadButtons,
  type DownloadButtonsProps,
} from "#features/analytics/download-buttons.tsx";
import { Button } from "#ui/button.tsx";

type TaxFormat = "csv" | "xlsx" | "112a";

export type TaxDownloadsProps = Pick<DownloadButtonsProps<TaxFormat>, "load">;

/** Buttons that download the tax pack of a financial year, and print the page. */
export function TaxDownloads({ load }: TaxDownloadsProps) {
  return (
    <>
      <DownloadButtons
        label="Tax pack"
        files={[...CSV_AND_EXCEL, { format: "112a", name: "Schedule 112A" }]}
        load={load}
      />
      <Button
        variant="secondary"
        size="sm"
        icon={<Printer size={16} aria-hidden />}
        onClick={() => window.print()}
        className="px-3! text-data!"
      >
        Print
      </Button>
    </>
  );
}
