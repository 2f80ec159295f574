import { ArrowLeft } from "lucide-react";
import { Link } from "react-router";
import { AccessExpired } from "#features/analytics/access-expired.tsx";
import { PageLinks } from "#features/analytics/page-links.tsx";
import { PositionFacts, usePosition } from "#features/analytics/positions/position-facts.tsx";
import { useViewer, type Viewer, ViewerContext } from "#features/analytics/viewer.ts";
import { TRADES_PATH } from "#lib/analytics-paths.ts";
import { isProblem } from "#lib/api.ts";
import { tradeName } from "#lib/contract.ts";

export type PositionPageProps = {
  viewer: Viewer;
  id: string;
};

/** Page of one position. */
export function PositionPage({ viewer, id }: PositionPageProps) {
  return (
    <ViewerContext value={viewer}>
      <div className="mx-auto max-w-[1160px]">
        <PageLinks page="trades" />
        <PositionContent id={id} />
      </div>
    </ViewerContext>
  );
}

function PositionContent({ id }: { id: string }) {
  const { journal } = useViewer();
  const query = usePosition(id);
  const { data, error } = query;
  if (error && isProblem(error)) {
    if (error.status === 401) return <AccessExpired />;
    if (error.status === 404) return <NoPosition />;
  }
  return (
    <>
      <BackLink />
      <h1 tabIndex={-1} className="pt-1 pb-2 text-[2rem]">
        {data ? tradeName(data.position) : "Position"}
      </h1>
      <div className="max-w-3xl">
        <PositionFacts query={query} />
        {data && journal && <div className="mt-8">{journal(data.position)}</div>}
      </div>
    </>
  );
}

/** Shown when no position begins with the fill of the id, for example after an older file was imported. */
function NoPosition() {
  return (
    <>
      <BackLink />
      <h1 tabIndex={-1} className="pt-1 pb-2 text-[2rem]">
        Position not found
      </h1>
      <p className="max-w-prose text-ink-2">
        No position in your trades has this address. If you have imported or removed trades, the position may
        begin with another trade now.
      </p>
    </>
  );
}

function BackLink() {
  return (
    <Link
      to={TRADES_PATH}
      data-print="no"
      className="link -mt-2 inline-flex min-h-11 items-center gap-2 text-data"
    >
      <ArrowLeft size={16} aria-hidden />
      Trades
    </Link>
  );
}
