import { Link, useLocation } from "react-router";
import { useViewer } from "#features/analytics/viewer.ts";
import { ANALYTICS_PAGES, type AnalyticsPage, withFilters } from "#lib/analytics-paths.ts";

/** Links between the pages for a reader with a read-only token, who has no sidebar. */
export function PageLinks({ page }: { page: AnalyticsPage }) {
  const { search } = useLocation();
  if (useViewer().isOwner) return null;
  return (
    <nav aria-label="Analytics" data-print="no" className="-mt-3 mb-3 flex flex-wrap gap-x-6">
      {ANALYTICS_PAGES.map(({ page: other, to, label }) => (
        <Link
          key={to}
          to={withFilters(to, search)}
          aria-current={other === page ? "page" : undefined}
          className="flex min-h-11 items-center font-medium text-ink-2 text-ui hover:text-ink aria-[current=page]:font-semibold aria-[current=page]:text-brand"
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
