import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { reportTitle } from "#features/import/report-words.ts";
import type { ImportReport as Report } from "#features/import/send-import.ts";
import { useImport } from "#features/import/use-import.ts";
import { useSession } from "#features/session/session-store.ts";
import { deskPath } from "#features/shell/desk-items.ts";
import { DEFAULT_VIEW } from "#features/trades/log-view.ts";
import { TradeLog } from "#features/trades/trade-log.tsx";
import { forgetTrades, tradePages } from "#features/trades/trade-pages.ts";
import { pageMeta } from "#lib/seo.ts";
import { TableSkeleton } from "#ui/skeleton.tsx";
import { ADD_TRADES, parsePanel, TRADE_LOG } from "./panel.ts";
import { usePanelChange } from "./use-panel-change.ts";

// Forms come when they are wanted; who only reads the log does without them.
const ImportForm = lazy(async () => ({
  default: (await import("#features/import/import-form.tsx")).ImportForm,
}));
const ImportNote = lazy(async () => ({
  default: (await import("#features/import/import-note.tsx")).ImportNote,
}));
const ImportReport = lazy(async () => ({
  default: (await import("#features/import/import-report.tsx")).ImportReport,
}));

export function meta() {
  return pageMeta({
    title: "Dashboard",
    description: "Your trades, and the way to add more.",
    noindex: true,
  });
}

export default function DashboardPage() {
  const { user } = useSession();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [params] = useSearchParams();
  const panel = parsePanel(params);
  const [report, setReport] = useState<Report>();
  const [formUsed, setFormUsed] = useState(false);
  const [unsure, setUnsure] = useState(false);
  const open = (index: number) => navigate(deskPath(index));

  const importing = useImport({
    email: user.email,
    onDone(done) {
      setReport(done);
      void forgetTrades(client);
      open(TRADE_LOG);
    },
    onOpen: () => setUnsure(true),
  });
  // Kept from then on, so that choices and the chosen file are there after a look at the log.
  if (panel === ADD_TRADES && !formUsed) setFormUsed(true);

  const first = useInfiniteQuery(tradePages(user.email, DEFAULT_VIEW));
  usePanelChange(panel, first.data?.pages[0]?.total);
  useEffect(() => {
    if (!unsure || panel !== TRADE_LOG) return;
    setUnsure(false);
    void forgetTrades(client);
  }, [unsure, panel, client]);

  return (
    <>
      {formUsed && (
        <section hidden={panel !== ADD_TRADES} aria-label="Add Trades">
          <h1 tabIndex={-1} className="flex min-h-11 items-center pt-1 text-[2rem]">
            Add Trades
          </h1>
          <Suspense fallback={<TableSkeleton label="Loading the form" />}>
            <ImportForm importing={importing} shown={panel === ADD_TRADES} />
          </Suspense>
        </section>
      )}
      {panel !== ADD_TRADES && (
        <TradeLog
          email={user.email}
          onAddTrades={() => open(ADD_TRADES)}
          head={
            <Suspense>
              {importing.state.phase !== "idle" && (
                <ImportNote importing={importing} onOpen={() => open(ADD_TRADES)} />
              )}
              {report && <ImportReport report={report} onDismiss={() => setReport(undefined)} />}
            </Suspense>
          }
        />
      )}
      {/* Always here: a status that comes with its words in it may stay unread, or be read at each look at the log. */}
      <p role="status" className="sr-only">
        {report && <span key={importing.done}>{reportTitle(report)}</span>}
      </p>
    </>
  );
}
