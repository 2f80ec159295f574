import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useLocation, useNavigate, useOutletContext } from "react-router";
import { type ImportItem, inPhase, needsAnswer } from "#features/import/import-item.ts";
import { interruptedText } from "#features/import/interrupted-import.ts";
import type { Report } from "#features/import/preview.ts";
import { reportTone, totalCounts } from "#features/import/report-text.ts";
import { type FileImports, useImport } from "#features/import/use-import.ts";
import { deskPath } from "#features/shell/desk-items.ts";
import { reloadTrades } from "#features/trades/trade-pages.ts";
import { importTitle } from "#lib/import-title.ts";
import { announce } from "#lib/notices.ts";
import { ADD_TRADES, parsePanel, TRADE_LOG } from "./panel.ts";

/** Shortest time between two reloads of the log during an import, which may store several files each second. */
const RELOAD_INTERVAL_MS = 2000;

/** State shared by the pages of the desk. */
export type DeskContext = {
  fileImports: FileImports;
  /** Reports of the last imported files, until they are dismissed. */
  reports: readonly Report[];
  dismissReports: () => void;
};

export function useDeskContext(): DeskContext {
  return useOutletContext<DeskContext>();
}

/**
 * Runs the import while any desk page is open. When it is finished, it opens the log, unless a file needs review or the
 * user is on another page.
 */
export function useDeskImport(email: string): DeskContext {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const atDashboard = /^\/dashboard\/?$/.test(pathname);
  const atLog = atDashboard && parsePanel(new URLSearchParams(search)) === TRADE_LOG;
  const [reports, setReports] = useState<readonly Report[]>([]);
  const [maybeStored, setMaybeStored] = useState(false);
  const reload = useRef({ at: 0, isDue: false });

  function reloadIfDue() {
    if (!reload.current.isDue) return;
    reload.current = { at: Date.now(), isDue: false };
    void reloadTrades(client);
  }

  const fileImports = useImport(email, {
    onStart: () => setReports([]),
    onStored(report) {
      setReports((before) => [...before, report]);
      reload.current.isDue = true;
      if (Date.now() - reload.current.at > RELOAD_INTERVAL_MS) reloadIfDue();
    },
    onMaybeStored: () => setMaybeStored(true),
    onSettled(items) {
      reloadIfDue();
      const done = inPhase(items, "done").flatMap(({ state }) =>
        state.phase === "done" ? [state.report] : [],
      );
      // Files restored after a reload need no announcement.
      if (!atDashboard && items.some(({ file }) => file)) announceResult(items, done);
      if (needsAnswer(items) || done.length === 0 || inPhase(items, "queued").length > 0) return;
      fileImports.dropDone();
      // If the log is already open, it keeps its filters.
      if (atDashboard && !atLog) void navigate(deskPath(TRADE_LOG));
    },
  });

  useEffect(() => {
    if (!maybeStored || !atLog) return;
    setMaybeStored(false);
    void reloadTrades(client);
  }, [maybeStored, atLog, client]);

  return { fileImports, reports, dismissReports: () => setReports([]) };
}

const FORM = { to: deskPath(ADD_TRADES), label: "Go to import" };

/** Announces the result of an import on the other desk pages. */
function announceResult(items: readonly ImportItem[], done: readonly Report[]): void {
  const [failed] = inPhase(items, "failed");
  if (needsAnswer(items)) announce({ tone: "warn", title: "Your import needs review.", link: FORM });
  else if (failed) announce({ tone: "warn", title: `${failed.name} was not imported.`, link: FORM });
  else if (done.length > 0) {
    const total = totalCounts(done);
    const link = { to: deskPath(TRADE_LOG), label: "Go to the Trade Log" };
    announce({ tone: reportTone(total), title: importTitle(total), link });
  }
}

/** Announces the interrupted import after the user has left the desk. */
export function announceInterrupted(client: QueryClient, items: readonly ImportItem[]): void {
  const notice = interruptedText(items);
  if (!notice) return;
  // A file that was being stored may still be added.
  void reloadTrades(client);
  announce({ tone: "warn", ...notice, link: FORM });
}
