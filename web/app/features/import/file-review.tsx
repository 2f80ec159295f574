import { Download } from "lucide-react";
import { useState } from "react";
import { AccountChoice } from "#features/import/account-choice.tsx";
import { ConflictList } from "#features/import/conflict-list.tsx";
import { issuesCsv, issuesFileName, listIssues } from "#features/import/issues.ts";
import { IssuesTable } from "#features/import/issues-table.tsx";
import { type Choices, countDecisions, type Preview } from "#features/import/preview.ts";
import { fileDescription, otherAccountText, otherAccountTitle } from "#features/import/preview-text.ts";
import { ReviewFilterBar } from "#features/import/review-filter-bar.tsx";
import { filterCounts, filterPreview, type ReviewFilter } from "#features/import/review-filters.ts";
import { SampleTable } from "#features/import/sample-table.tsx";
import { type DocumentSignature, signatureMessage } from "#features/import/signature-text.ts";
import { downloadCsv } from "#lib/csv.ts";
import { count } from "#lib/format.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";

export type FileReviewProps = {
  preview: Preview;
  choices: Choices;
  onChoose: (choices: Choices) => void;
  /** Called with the number of another account that the file belongs to. */
  onAccount: (account: number) => void;
};

/** Review of one file before its import: counts, conflicts, issues and first trades. */
export function FileReview({ preview, choices, onChoose, onAccount }: FileReviewProps) {
  const [filter, setFilter] = useState<ReviewFilter>("all");
  const { issues, conflicts, sample } = filterPreview(filter, preview);
  const { fileName, rejected, warnings } = preview;
  return (
    <section aria-label={`Review of ${fileName}`} className="mt-4">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 pb-3">
        <p className="min-w-0 flex-1 basis-72 break-words text-ui">
          <strong className="font-semibold">{fileName}</strong>{" "}
          <span className="text-ink-2">{fileDescription(preview)}</span>
        </p>
        {rejected.length + warnings.length > 0 && (
          <Button
            size="sm"
            variant="secondary"
            icon={<Download size={17} aria-hidden />}
            className="max-sm:w-full"
            onClick={() => downloadCsv(issuesFileName(fileName), issuesCsv(listIssues(preview)))}
          >
            Download problems (CSV)
          </Button>
        )}
      </div>
      {preview.accountMatch === "otherCodes" && (
        <Banner tone="warn" title={otherAccountTitle(preview)} className="mb-4">
          {otherAccountText(preview)}
        </Banner>
      )}
      {preview.signature && <SignatureBanner signature={preview.signature} />}
      <AccountChoice preview={preview} onAccount={onAccount} />
      <div className="rounded-panel border border-line bg-surface">
        <ReviewFilterBar counts={filterCounts(preview)} filter={filter} onFilter={setFilter} />
        {conflicts.length > 0 && (
          <ConflictList
            conflicts={conflicts}
            total={preview.conflictTotal}
            choices={choices}
            counts={countDecisions(preview, choices)}
            onChoose={onChoose}
          />
        )}
        {issues.length > 0 && (
          <div className="border-line border-t">
            {/* The key resets "Show more" when the filter changes. */}
            <IssuesTable key={filter} label={ISSUE_LABELS[filter] ?? "Rows to check"} issues={issues} />
          </div>
        )}
        {sample.length > 0 && (
          <>
            <h3 className="border-line border-t px-4 pt-4 pb-3 font-sans font-semibold text-ui tracking-normal sm:px-5">
              {sampleHeading(filter, preview, sample.length)}
            </h3>
            <SampleTable rows={sample} fileName={fileName} />
          </>
        )}
        {conflicts.length + issues.length + sample.length === 0 && (
          <p className="border-line border-t px-4 py-6 text-ink-2 text-ui sm:px-5">
            {emptyText(filter, preview)}
          </p>
        )}
      </div>
    </section>
  );
}

/** Comparison of a document with its digital signature. */
function SignatureBanner({ signature }: { signature: DocumentSignature }) {
  const { tone, title, text } = signatureMessage(signature);
  return (
    <Banner tone={tone} title={title} className="mb-4 break-words">
      {text}
    </Banner>
  );
}

const ISSUE_LABELS: Partial<Record<ReviewFilter, string>> = { warning: "Warnings", skipped: "Skipped rows" };

function sampleHeading(filter: ReviewFilter, { sample }: Preview, shown: number): string {
  if (filter === "all") return sample.length === 1 ? "The trade" : `The first ${count(sample.length)} trades`;
  const kind = filter === "added" ? "New" : "Already there";
  return `${kind}: ${count(shown)} of the first ${count(sample.length)} trades`;
}

/** Returns the text for an empty list. The preview contains only the first trades, so there may be more. */
function emptyText(filter: ReviewFilter, preview: Preview): string {
  const total = filterCounts(preview)[filter];
  return total > 0 ? `${count(total)}, but none among the first trades of the file.` : "None in this file.";
}
