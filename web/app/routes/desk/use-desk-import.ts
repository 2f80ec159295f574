import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useLocation, useNavigate, useOutletContext } from "react-router";
import { reportTitle, reportTone } from "#features/import/report-words.ts";
import type { ImportReport } from "#features/import/send-import.ts";
import { type Importing, useImport } from "#features/import/use-import.ts";
import { deskPath } from "#features/shell/desk-items.ts";
import { forgetTrades } from "#features/trades/trade-pages.ts";
import { announce } from "#lib/notices.ts";
import { parsePanel, TRADE_LOG } from "./panel.ts";

/** What the pages of the desk share. */
export type DeskContext = {
  importing: Importing;
  /** Of the last import, until it is dismissed. */
  report: ImportReport | undefined;
  dismissReport: () => void;
};

export function useDesk(): DeskContext {
  return useOutletContext<DeskContext>();
}

/** The import goes on whichever page of the desk is open, and ends at the log unless one is at work elsewhere. */
export function useDeskImport(email: string): DeskContext {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const atDashboard = /^\/dashboard\/?$/.test(pathname);
  const atLog = atDashboard && parsePanel(new URLSearchParams(search)) === TRADE_LOG;
  const [report, setReport] = useState<ImportReport>();
  const [unsure, setUnsure] = useState(false);

  const importing = useImport({
    email,
    onDone(done) {
      setReport(done);
      void forgetTrades(client);
      if (!atDashboard) {
        const link = { to: deskPath(TRADE_LOG), label: "Go to the Trade Log" };
        announce({ tone: reportTone(done), title: reportTitle(done), link });
      } else if (!atLog) {
        // Who looks at the log already keeps its filters.
        void navigate(deskPath(TRADE_LOG));
      }
    },
    onOpen: () => setUnsure(true),
  });

  useEffect(() => {
    if (!unsure || !atLog) return;
    setUnsure(false);
    void forgetTrades(client);
  }, [unsure, atLog, client]);

  return { importing, report, dismissReport: () => setReport(undefined) };
}
