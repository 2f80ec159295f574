import {
  csvAndExcel,
  DownloadButtons,
  type DownloadButtonsProps,
} from "#features/analytics/download-buttons.tsx";

type TaxFormat = "csv" | "xlsx" | "112a";

export type TaxDownloadsProps = Pick<DownloadButtonsProps<TaxFormat>, "load"> & {
  /** Financial year of the tax pack, such as 2025-26. */
  year: string;
};

/** Buttons that download the tax pack of a financial year. */
export function TaxDownloads({ year, load }: TaxDownloadsProps) {
  return (
    <DownloadButtons
      label="Tax pack"
      files={[
        ...csvAndExcel(`tradebahi-tax-${year}`),
        { format: "112a", name: "Schedule 112A", fileName: `schedule-112a-${year}.csv` },
      ]}
      load={load}
    />
  );
}
