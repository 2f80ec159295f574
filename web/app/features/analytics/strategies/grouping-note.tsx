import { useQueryClient } from "@tanstack/react-query";
import { lazy, type RefObject, Suspense, useRef, useState } from "react";
import { FRESH } from "#features/analytics/analytics-api.ts";
import {
  refreshStrategies,
  UNDO,
  useDecisions,
} from "#features/analytics/strategy-decisions/use-decisions.ts";
import { $api } from "#lib/api-query.ts";
import { plural } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";
import { LoadFailure } from "#ui/load-failure.tsx";

const GroupingDialog = lazy(async () => ({
  default: (await import("#features/analytics/strategy-decisions/grouping-dialog.tsx")).GroupingDialog,
}));

/** States the rule for grouping, with buttons that change it and undo the last decision. */
export function GroupingNote() {
  const { data, error, isFetching, refetch } = $api.useQuery(
    "get",
    "/analytics/strategy-settings",
    {},
    FRESH,
  );
  const opener = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [message, setMessage] = useState("");
  if (error)
    return (
      <div className="px-4 pb-4 sm:px-6">
        <LoadFailure error={error} busy={isFetching} onRetry={() => void refetch()} />
      </div>
    );
  if (!data) return null;
  const { settings, undoableChangeId } = data;
  return (
    <div data-print="no" className="px-4 pb-4 sm:px-6">
      <p className="text-data text-ink-2">
        {`Legs that were opened within ${plural(settings.windowMinutes, "minute")} of each other, or that hedge an open leg, are one strategy if they form a known shape${settings.acrossAccounts ? ", also in different accounts of one person" : ""}.`}
      </p>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button
          ref={opener}
          variant="secondary"
          size="sm"
          onClick={() => setOpen(true)}
          className="max-sm:h-11"
        >
          Change grouping
        </Button>
        <UndoLastDecision changeId={undoableChangeId} next={opener} onMessage={setMessage} />
        <p role="status" className="self-center font-semibold text-data not-empty:px-1">
          {message}
        </p>
      </div>
      {isOpen && (
        <Suspense fallback={null}>
          <GroupingDialog
            settings={settings}
            onClose={() => setOpen(false)}
            onSaved={() => setMessage("Your strategies are grouped again.")}
          />
        </Suspense>
      )}
    </div>
  );
}

type UndoLastDecisionProps = {
  changeId: string | null;
  /** Gets the focus when the button disappears. */
  next: RefObject<HTMLButtonElement | null>;
  /** Called with the result, or an empty text when the request is sent. */
  onMessage: (message: string) => void;
};

/** Button that undoes the last decision about a strategy, also after the page was closed. */
function UndoLastDecision({ changeId, next, onMessage }: UndoLastDecisionProps) {
  const client = useQueryClient();
  const { busy, failure, undo } = useDecisions(() => refreshStrategies(client));

  async function undoLast() {
    if (!changeId) return;
    onMessage("");
    if (!(await undo({ changeId, previousId: "", strategies: [] }))) return;
    onMessage("Your last decision about a strategy was undone.");
    next.current?.focus();
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
          Undo last decision
        </Button>
      )}
      {failure && (
        <p role="alert" className="basis-full font-semibold text-data text-loss">
          {failure}
        </p>
      )}
    </>
  );
}
