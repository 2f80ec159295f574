import { Download } from "lucide-react";
import { useState } from "react";
import { ConflictList } from "#features/import/conflict-list.tsx";
import { FilterBar } from "#features/import/filter-bar.tsx";
import { findingsCsv, findingsOf, problemsFileName } from "#features/import/findings.ts";
import { FindingsTable } from "#features/import/findings-table.tsx";
import { type Choices, decided, type Preview } from "#features/import/preview.ts";
import { previewSource } from "#features/import/preview-words.ts";
import { type Filter, filterCounts, shownBy } from "#features/import/review-filters.ts";
import { SampleTable } from "#features/import/sample-table.tsx";
import { downloadCsv } from "#lib/csv.ts";
import { count } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";

export type FileReviewProps = {
  preview: Preview;
  choices: Choices;
  onChoose: (choices: Choices) => void;
};

/** What importing one file would do: the counts, what to decide, what to look at, and its first trades. */
export function FileReview({ preview, choices, onChoose }: FileReviewProps) {
  const [filter, setFilter] = useState<Filter>("all");
  const { findings, conflicts, sample } = shownBy(filter, preview);
  const { fileName, rejected, warnings } = preview;
  return (
    <section aria-label={`Review of ${fileName}`} className="mt-4">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 pb-3">
        <p className="min-w-0 flex-1 basis-72 break-words text-ui">
          <strong className="font-semibold">{fileName}</strong>{" "}
          <span className="text-ink-2">{previewSource(preview)}</span>
        </p>
        {rejected.length + warnings.length > 0 && (
          <Button
            size="sm"
            variant="secondary"
            icon={<Download size={17} aria-hidden />}
            className="max-sm:w-full"
            onClick={() => downloadCsv(problemsFileName(fileName), findingsCsv(findingsOf(preview)))}
          >
            Download problems (CSV)
          </Button>
        )}
      </div>
      <div className="rounded-panel border border-line bg-surface">
        <FilterBar counts={filterCounts(preview)} filter={filter} onFilter={setFilter} />
        {conflicts.length > 0 && (
          <ConflictList
            conflicts={conflicts}
            total={preview.conflictTotal}
            choices={choices}
            sums={decided(preview, choices)}
            onChoose={onChoose}
          />
        )}
        {findings.length > 0 && (
          <div className="border-line border-t">
            {/* Another filter begins anew with its first rows. */}
            <FindingsTable key={filter} label={FINDINGS[filter] ?? "What to look at"} findings={findings} />
          </div>
        )}
        {sample.length > 0 && (
          <>
            <h3 className="border-line border-t px-4 pt-4 pb-3 font-sans font-semibold text-ui tracking-normal sm:px-5">
              {sampleHeading(filter, preview, sample.length)}
            </h3>
            <SampleTable rows={sample} />
          </>
        )}
        {conflicts.length + findings.length + sample.length === 0 && (
          <p className="border-line border-t px-4 py-6 text-ink-2 text-ui sm:px-5">
            {nothing(filter, preview)}
          </p>
        )}
      </div>
    </section>
  );
}

const FINDINGS: Partial<Record<Filter, string>> = { warning: "Warnings", refused: "Rows that stay out" };

function sampleHeading(filter: Filter, { sample }: Preview, shown: number): string {
  if (filter === "all") return sample.length === 1 ? "The trade" : `The first ${count(sample.length)} trades`;
  const kind = filter === "added" ? "New" : "Already there";
  return `${kind}: ${count(shown)} of the first ${count(sample.length)} trades`;
}

/** Only the first trades are listed: there may be more further down. */
function nothing(filter: Filter, preview: Preview): string {
  const many = filterCounts(preview)[filter];
  return many > 0
    ? `${count(many)}, all further down in the file than the first trades.`
    : "None in this file.";
}
