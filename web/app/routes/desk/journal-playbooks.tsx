import { lazy, Suspense } from "react";
import { PageFailure } from "#features/shell/page-failure.tsx";
import { pageMeta } from "#lib/seo.ts";
import { TableSkeleton } from "#ui/skeleton.tsx";

const PlaybooksPage = lazy(async () => ({
  default: (await import("#features/trader-journal/playbooks-page.tsx")).PlaybooksPage,
}));

export function meta() {
  return pageMeta({ title: "Playbooks", description: "Your setups and their rules.", noindex: true });
}

export function ErrorBoundary() {
  return <PageFailure />;
}

export default function PlaybooksRoute() {
  return (
    <Suspense fallback={<TableSkeleton label="Loading the journal" columns={3} />}>
      <PlaybooksPage />
    </Suspense>
  );
}
