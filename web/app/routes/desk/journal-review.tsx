import { lazy, Suspense } from "react";
import { useSession } from "#features/session/session-store.ts";
import { PageFailure } from "#features/shell/page-failure.tsx";
import { pageMeta } from "#lib/seo.ts";
import { TableSkeleton } from "#ui/skeleton.tsx";

const ReviewPage = lazy(async () => ({
  default: (await import("#features/trader-journal/review-page.tsx")).ReviewPage,
}));

export function meta() {
  return pageMeta({ title: "Review", description: "Review your positions one by one.", noindex: true });
}

export function ErrorBoundary() {
  return <PageFailure />;
}

export default function ReviewRoute() {
  const { user } = useSession();
  return (
    <Suspense fallback={<TableSkeleton label="Loading the journal" columns={3} />}>
      <ReviewPage email={user.email} />
    </Suspense>
  );
}
