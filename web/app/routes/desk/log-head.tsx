import { useQueryClient } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import { replaceText, setReplaceNotice, useReplaceNotice } from "#features/entry/replace-notice.ts";
import { UndoBanner } from "#features/history/undo-banner.tsx";
import { ImportReport } from "#features/import/import-report.tsx";
import { ImportStatusBanner } from "#features/import/import-status-banner.tsx";
import { countFilters, parseView } from "#features/trades/log-view.ts";
import { reloadTrades } from "#features/trades/trade-pages.ts";
import type { DeskContext } from "./use-desk-import.ts";

export type LogHeadProps = { email: string; desk: DeskContext; onOpenForm: () => void };

/** Messages above the log: progress and results of imports, and the undo of a replacement. */
export function LogHead({ email, desk: { fileImports, reports, dismissReports }, onOpenForm }: LogHeadProps) {
  const client = useQueryClient();
  const [params] = useSearchParams();
  const replaced = useReplaceNotice(email);
  return (
    <>
      <ImportStatusBanner fileImports={fileImports} onOpenForm={onOpenForm} />
      <div role="status">
        {replaced && (
          <UndoBanner
            key={replaced.changeId}
            message={replaceText(replaced)}
            change={replaced}
            undone={replaced.undone}
            onUndone={(undone) => {
              setReplaceNotice({ ...replaced, undone });
              void reloadTrades(client);
            }}
            onDismiss={() => setReplaceNotice(undefined)}
          >
            The replaced trades are kept for 30 days.
          </UndoBanner>
        )}
      </div>
      {reports.length > 0 && <ImportReport reports={reports} onDismiss={dismissReports} />}
      {reports.some(({ added }) => added > 0) && countFilters(parseView(params)) > 0 && (
        <p className="mt-2 text-data text-ink-2">
          Your filters are still active. New trades that do not match them are in the log but hidden.
        </p>
      )}
    </>
  );
}
