import { useInfiniteQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { totalCounts } from "#features/import/report-text.ts";
import { useSession } from "#features/session/session-store.ts";
import { deskPath } from "#features/shell/desk-items.ts";
import { PageFailure } from "#features/shell/page-failure.tsx";
import { DEFAULT_VIEW } from "#features/trades/log-view.ts";
import { tradePages } from "#features/trades/trade-pages.ts";
import { importTitle } from "#lib/import-title.ts";
import { pageMeta } from "#lib/seo.ts";
import { TableSkeleton } from "#ui/skeleton.tsx";
import { LogPanel } from "./log-panel.tsx";
import { ADD_TRADES, HISTORY, MANUAL_ENTRY, parsePanel, TRADE_LOG } from "./panel.ts";
import { useDeskContext } from "./use-desk-import.ts";
import { usePanelChange } from "./use-panel-change.ts";

// Loaded on demand; the log does not need the forms.
const AddTradesPanel = lazy(async () => ({
  default: (await import("./add-trades-panel.tsx")).AddTradesPanel,
}));
const ManualEntryPanel = lazy(async () => ({
  default: (await import("./manual-entry-panel.tsx")).ManualEntryPanel,
}));
const LogHead = lazy(async () => ({ default: (await import("./log-head.tsx")).LogHead }));
const HistoryPanel = lazy(async () => ({ default: (await import("./history-panel.tsx")).HistoryPanel }));

export function meta() {
  return pageMeta({
    title: "Dashboard",
    description: "Your trades and imports.",
    noindex: true,
  });
}

/** Inside the desk layout, so that its state, such as a chosen file, is kept. */
export function ErrorBoundary() {
  return <PageFailure />;
}

export default function DashboardPage() {
  const { user } = useSession();
  const navigate = useNavigate();
  const [params] = useSearchParams();
  const panel = parsePanel(params);
  const desk = useDeskContext();
  const { fileImports, reports } = desk;
  const [formOpened, setFormOpened] = useState(false);
  const open = (index: number) => navigate(deskPath(index));

  // Stays mounted once opened, so that the chosen file is kept while the log is shown.
  if (panel === ADD_TRADES && !formOpened) setFormOpened(true);

  const first = useInfiniteQuery(tradePages(user.email, DEFAULT_VIEW));
  usePanelChange(panel, first.data?.pages[0]?.total);

  return (
    <>
      {formOpened && (
        <section hidden={panel !== ADD_TRADES} aria-label="Add Trades">
          <h1 tabIndex={-1} className="flex min-h-11 items-center pt-1 text-[2rem]">
            Add Trades
          </h1>
          <Suspense fallback={<TableSkeleton label="Loading the form" />}>
            <AddTradesPanel email={user.email} fileImports={fileImports} shown={panel === ADD_TRADES} />
          </Suspense>
        </section>
      )}
      {panel === MANUAL_ENTRY && (
        <>
          <h1 tabIndex={-1} className="flex min-h-11 items-center pt-1 text-[2rem]">
            Manual entry
          </h1>
          <Suspense fallback={<TableSkeleton label="Loading the form" />}>
            <ManualEntryPanel email={user.email} />
          </Suspense>
        </>
      )}
      {panel === HISTORY && (
        <>
          <h1 tabIndex={-1} className="flex min-h-11 items-center pt-1 text-[2rem]">
            History
          </h1>
          <Suspense fallback={<TableSkeleton label="Loading the history" columns={2} />}>
            <HistoryPanel />
          </Suspense>
        </>
      )}
      {(panel === TRADE_LOG || panel === undefined) && (
        <LogPanel
          user={user}
          head={
            <Suspense>
              <LogHead email={user.email} desk={desk} onOpenForm={() => open(ADD_TRADES)} />
            </Suspense>
          }
        />
      )}
      {/* Always mounted: a status element that is inserted together with its text may not be announced. */}
      <p role="status" className="sr-only">
        {reports.length > 0 && (
          <span key={reports.map(({ id }) => id).join()}>{importTitle(totalCounts(reports))}</span>
        )}
      </p>
    </>
  );
}
