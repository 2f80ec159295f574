import { lazy, Suspense } from "react";
import { useSession } from "#features/session/session-store.ts";
import { PageFailure } from "#features/shell/page-failure.tsx";
import { pageMeta } from "#lib/seo.ts";
import { TableSkeleton } from "#ui/skeleton.tsx";

const DayPage = lazy(async () => ({
  default: (await import("#features/trader-journal/day-page.tsx")).DayPage,
}));

export function meta() {
  return pageMeta({
    title: "Journal",
    description: "Plan, facts and review of a trading day.",
    noindex: true,
  });
}

export function ErrorBoundary() {
  return <PageFailure />;
}

export default function DayRoute() {
  const { user } = useSession();
  return (
    <Suspense fallback={<TableSkeleton label="Loading the journal" columns={3} />}>
      <DayPage email={user.email} />
    </Suspense>
  );
}
