import { useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { FRESH } from "#features/analytics/analytics-api.ts";
import {
  refreshStrategies,
  UNDO,
  useDecisions,
} from "#features/analytics/strategy-decisions/use-decisions.ts";
import { $api } from "#lib/api-query.ts";
import { plural } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";

const GroupingDialog = lazy(async () => ({
  default: (await import("#features/analytics/strategy-decisions/grouping-dialog.tsx")).GroupingDialog,
}));

/** States the rule for grouping, with buttons that change it and undo the last decision. */
export function GroupingNote() {
  const { data } = $api.useQuery("get", "/analytics/strategy-settings", {}, FRESH);
  const [isOpen, setOpen] = useState(false);
  const settings = data?.settings;
  return (
    <div data-print="no" className="px-4 pb-4 sm:px-6">
      <p className="text-data text-ink-2">
        {`We group legs that were opened within ${plural(settings?.windowMinutes ?? 5, "minute")} or hedge an open leg${settings?.acrossAccounts ? ", across the accounts of one person" : ""}.`}
      </p>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button
          variant="secondary"
          size="sm"
          disabled={!settings}
          onClick={() => setOpen(true)}
          className="max-sm:h-11"
        >
          Change grouping
        </Button>
        <UndoLastDecision changeId={data?.undoableChangeId ?? null} />
      </div>
      {isOpen && settings && (
        <Suspense fallback={null}>
          <GroupingDialog settings={settings} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </div>
  );
}

/** Button that undoes the last decision about a strategy, also after the page was closed. */
function UndoLastDecision({ changeId }: { changeId: string | null }) {
  const client = useQueryClient();
  const { busy, failure, undo } = useDecisions(() => refreshStrategies(client));
  const [message, setMessage] = useState("");

  async function undoLast() {
    if (!changeId) return;
    setMessage("");
    if (await undo({ changeId, previousId: "", strategies: [] })) setMessage("Your last change was undone.");
  }

  return (
    <>
      {changeId && (
        <Button
          variant="secondary"
          size="sm"
          pending={busy === UNDO}
          onClick={() => void undoLast()}
          className="max-sm:h-11"
        >
          Undo last change
        </Button>
      )}
      <p role="status" className="self-center font-semibold text-data not-empty:px-1">
        {message}
      </p>
      {failure && (
        <p role="alert" className="basis-full font-semibold text-data text-loss">
          {failure}
        </p>
      )}
    </>
  );
}
