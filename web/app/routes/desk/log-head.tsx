import { useQueryClient } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import { announceReplaced, replacedWords, useReplaced } from "#features/entry/replaced-news.ts";
import { UndoBanner } from "#features/history/undo-banner.tsx";
import { ImportNote } from "#features/import/import-note.tsx";
import { ImportReport } from "#features/import/import-report.tsx";
import { countFilters, parseView } from "#features/trades/log-view.ts";
import { forgetTrades } from "#features/trades/trade-pages.ts";
import type { DeskContext } from "./use-desk-import.ts";

export type LogHeadProps = { email: string; desk: DeskContext; onOpenForm: () => void };

/** News at the head of the log: what an import does or did, and what a forced replace did. */
export function LogHead({ email, desk: { importing, reports, dismissReports }, onOpenForm }: LogHeadProps) {
  const client = useQueryClient();
  const [params] = useSearchParams();
  const replaced = useReplaced(email);
  return (
    <>
      <ImportNote importing={importing} onOpen={onOpenForm} />
      <div role="status">
        {replaced && (
          <UndoBanner
            key={replaced.changeId}
            words={replacedWords(replaced)}
            change={replaced}
            undone={replaced.undone}
            onUndone={(undone) => {
              announceReplaced({ ...replaced, undone });
              void forgetTrades(client);
            }}
            onDismiss={() => announceReplaced(undefined)}
          >
            The old ones are kept for 30 days.
          </UndoBanner>
        )}
      </div>
      {reports.length > 0 && <ImportReport reports={reports} onDismiss={dismissReports} />}
      {reports.some(({ added }) => added > 0) && countFilters(parseView(params)) > 0 && (
        <p className="mt-2 text-data text-ink-2">
          Your filters are still on: new trades that they do not let through are in the log all the same.
        </p>
      )}
    </>
  );
}
