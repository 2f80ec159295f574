import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useLocation, useNavigate, useOutletContext } from "react-router";
import { asks, type ImportItem, inPhase } from "#features/import/import-item.ts";
import { brokenOff } from "#features/import/leave-words.ts";
import type { Report } from "#features/import/preview.ts";
import { reportTone, totalOf } from "#features/import/report-words.ts";
import { type Importing, useImport } from "#features/import/use-import.ts";
import { deskPath } from "#features/shell/desk-items.ts";
import { forgetTrades } from "#features/trades/trade-pages.ts";
import { importTitle } from "#lib/import-title.ts";
import { announce } from "#lib/notices.ts";
import { ADD_TRADES, parsePanel, TRADE_LOG } from "./panel.ts";

/** What the pages of the desk share. */
export type DeskContext = {
  importing: Importing;
  /** Of the last files that went in, until they are dismissed. */
  reports: readonly Report[];
  dismissReports: () => void;
};

export function useDesk(): DeskContext {
  return useOutletContext<DeskContext>();
}

/**
 * The import goes on whichever page of the desk is open. It ends at the log, unless a file asks something, or one is
 * at work elsewhere.
 */
export function useDeskImport(email: string): DeskContext {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const atDashboard = /^\/dashboard\/?$/.test(pathname);
  const atLog = atDashboard && parsePanel(new URLSearchParams(search)) === TRADE_LOG;
  const [reports, setReports] = useState<readonly Report[]>([]);
  const [unsure, setUnsure] = useState(false);

  const importing = useImport(email, {
    onBegin: () => setReports([]),
    onStored(report) {
      setReports((before) => [...before, report]);
      void forgetTrades(client);
    },
    onOpen: () => setUnsure(true),
    onSettled(items) {
      const done = inPhase(items, "done").flatMap(({ state }) =>
        state.phase === "done" ? [state.report] : [],
      );
      // What only came back after a reload is no news.
      if (!atDashboard && items.some(({ file }) => file)) tell(items, done);
      if (asks(items) || done.length === 0) return;
      importing.dropDone();
      // Who looks at the log already keeps its filters.
      if (atDashboard && !atLog) void navigate(deskPath(TRADE_LOG));
    },
  });

  useEffect(() => {
    if (!unsure || !atLog) return;
    setUnsure(false);
    void forgetTrades(client);
  }, [unsure, atLog, client]);

  return { importing, reports, dismissReports: () => setReports([]) };
}

const FORM = { to: deskPath(ADD_TRADES), label: "Go to the import" };

/** To who is at work elsewhere. */
function tell(items: readonly ImportItem[], done: readonly Report[]): void {
  const [broken] = inPhase(items, "failed");
  if (asks(items)) announce({ tone: "warn", title: "The import waits for your answer.", link: FORM });
  else if (broken) announce({ tone: "warn", title: `${broken.name} was not imported.`, link: FORM });
  else if (done.length > 0) {
    const total = totalOf(done);
    const link = { to: deskPath(TRADE_LOG), label: "Go to the Trade Log" };
    announce({ tone: reportTone(total), title: importTitle(total), link });
  }
}

/** To who has left the desk. */
export function tellBrokenOff(client: QueryClient, items: readonly ImportItem[]): void {
  const words = brokenOff(items);
  if (!words) return;
  // What was being stored may go in all the same.
  void forgetTrades(client);
  announce({ tone: "warn", ...words, link: FORM });
}
