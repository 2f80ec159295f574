import { Printer } from "lucide-react";
import {
  csvAndExcel,
  DownloadButtons,
  type DownloadButtonsProps,
} from "#features/analytics/download-buttons.tsx";
import { Button } from "#ui/button.tsx";

type TaxFormat = "csv" | "xlsx" | "112a";

export type TaxDownloadsProps = Pick<DownloadButtonsProps<TaxFormat>, "load"> & {
  /** Financial year of the tax pack, such as 2025-26. */
  year: string;
};

/** Buttons that download the tax pack of a financial year, and print the page. */
export function TaxDownloads({ year, load }: TaxDownloadsProps) {
  return (
    <>
      <DownloadButtons
        label="Tax pack"
        files={[
          ...csvAndExcel(`tradebahi-tax-${year}`),
          { format: "112a", name: "Schedule 112A", fileName: `tradebahi-schedule-112a-${year}.csv` },
        ]}
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
