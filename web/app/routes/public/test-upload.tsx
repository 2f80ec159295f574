import { lazy, Suspense, useState } from "react";
import type { FileReport } from "#features/inspect/inspect-file.ts";
import { InspectForm } from "#features/inspect/inspect-form.tsx";
import { pageMeta } from "#lib/seo.ts";

// Loaded with the first report.
const InspectReport = lazy(async () => ({
  default: (await import("#features/inspect/inspect-report.tsx")).InspectReport,
}));
const FileIssues = lazy(async () => ({
  default: (await import("#features/import/issues-table.tsx")).FileIssues,
}));

export function meta() {
  return pageMeta({
    title: "Excel Upload Test",
    description: "Check how a broker's file is read. Nothing is stored.",
    noindex: true,
  });
}

export default function TestUploadPage() {
  const [report, setReport] = useState<FileReport>();
  return (
    <div className="page-width py-12 md:py-16">
      <div className="max-w-3xl">
        <h1 tabIndex={-1} className="text-h2">
          Excel Upload Test
        </h1>
        <p className="mt-3 mb-8 text-ink-2">
          Check how a file of your broker is read before you import it. Nothing is stored, and you do not need
          an account.
        </p>
        <InspectForm onReport={setReport} />
      </div>
      {report && (
        <Suspense>
          <InspectReport report={report} issues={<FileIssues label="Rows to check" lists={report} />} />
        </Suspense>
      )}
    </div>
  );
}
