import { lazy, Suspense } from "react";
import { useParams } from "react-router";
import { useSession } from "#features/session/session-store.ts";
import { PageFailure } from "#features/shell/page-failure.tsx";
import { pageMeta } from "#lib/seo.ts";
import { TableSkeleton } from "#ui/skeleton.tsx";

const DaysPage = lazy(async () => ({
  default: (await import("#features/trader-journal/days-page.tsx")).DaysPage,
}));
const DayPage = lazy(async () => ({
  default: (await import("#features/trader-journal/day-page.tsx")).DayPage,
}));
const ReviewPage = lazy(async () => ({
  default: (await import("#features/trader-journal/review-page.tsx")).ReviewPage,
}));
const PlaybooksPage = lazy(async () => ({
  default: (await import("#features/trader-journal/playbooks-page.tsx")).PlaybooksPage,
}));

/** Returns title and description of a page by the part of its path after `/journal/`. */
function pageTexts(day: string | undefined) {
  if (day === undefined)
    return { title: "Journal", description: "Your trading days: plans, results and reviews." };
  if (day === "review") return { title: "Review", description: "Review your positions one by one." };
  if (day === "playbooks") return { title: "Playbooks", description: "Your setups and their rules." };
  return { title: "Journal", description: "Plan, facts and review of a trading day." };
}

export function meta({ params }: { params: { day?: string } }) {
  return pageMeta({ ...pageTexts(params.day), noindex: true });
}

export function ErrorBoundary() {
  return <PageFailure />;
}

/** All pages of the journal in one route, because every page of the site lists all routes. */
export default function JournalRoute() {
  const { user } = useSession();
  const { day } = useParams();
  return (
    <Suspense key={day ?? ""} fallback={<TableSkeleton label="Loading the journal" columns={3} />}>
      {day === undefined && <DaysPage />}
      {day === "review" && <ReviewPage email={user.email} />}
      {day === "playbooks" && <PlaybooksPage />}
      {day !== undefined && day !== "review" && day !== "playbooks" && <DayPage email={user.email} />}
    </Suspense>
  );
}
