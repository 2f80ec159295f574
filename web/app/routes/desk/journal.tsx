import { lazy, Suspense } from "react";
import { PageFailure } from "#features/shell/page-failure.tsx";
import { pageMeta } from "#lib/seo.ts";
import { TableSkeleton } from "#ui/skeleton.tsx";

const DaysPage = lazy(async () => ({
  default: (await import("#features/trader-journal/days-page.tsx")).DaysPage,
}));

export function meta() {
  return pageMeta({
    title: "Journal",
    description: "Your trading days: plans, results and reviews.",
    noindex: true,
  });
}

export function ErrorBoundary() {
  return <PageFailure />;
}

export default function DaysRoute() {
  return (
    <Suspense fallback={<TableSkeleton label="Loading the journal" columns={3} />}>
      <DaysPage />
    </Suspense>
  );
}
