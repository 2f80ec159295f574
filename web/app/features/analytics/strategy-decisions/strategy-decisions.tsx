import { useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { Link, useNavigate } from "react-router";
import type { Strategy, StrategyDecision } from "#features/analytics/analytics-api.ts";
import { Panel } from "#features/analytics/charts/panel.tsx";
import { strategyName } from "#features/analytics/strategies/strategy-names.ts";
import { DecisionStatus } from "#features/analytics/strategy-decisions/decision-status.tsx";
import { GroupingOptions } from "#features/analytics/strategy-decisions/grouping-options.tsx";
import { decisionText } from "#features/analytics/strategy-decisions/groupings.ts";
import { canSplit } from "#features/analytics/strategy-decisions/split.ts";
import {
  type DecisionChange,
  refreshStrategies,
  UNDO,
  useDecisions,
} from "#features/analytics/strategy-decisions/use-decisions.ts";
import { strategyPath } from "#lib/analytics-paths.ts";
import { $api } from "#lib/api-query.ts";
import { useHeadingFocus } from "#lib/heading-focus.ts";
import { Button } from "#ui/button.tsx";

const DIALOGS = {
  rename: lazy(async () => ({
    default: (await import("#features/analytics/strategy-decisions/strategy-rename-dialog.tsx"))
      .StrategyRenameDialog,
  })),
  join: lazy(async () => ({
    default: (await import("#features/analytics/strategy-decisions/strategy-join-dialog.tsx"))
      .StrategyJoinDialog,
  })),
  split: lazy(async () => ({
    default: (await import("#features/analytics/strategy-decisions/strategy-split-dialog.tsx"))
      .StrategySplitDialog,
  })),
};

type DialogName = keyof typeof DIALOGS;

export type DecisionDialogProps = {
  strategy: Strategy;
  /** True while the decision is being sent. */
  busy: boolean;
  /** Error of the last attempt. */
  failure: string;
  onDecide: (decision: StrategyDecision) => void;
  onClose: () => void;
};

/** Result of the last decision on the page. */
type Result = {
  text: string;
  /** Strategy whose page shows the result. */
  shownId: string;
  /** Change that can be undone; undefined after it was undone. */
  change?: DecisionChange;
};

type StrategyDecisionsProps = {
  id: string;
  /** Undefined while it is loaded, and if there is none with this id. */
  strategy: Strategy | undefined;
};

/** Actions of the strategy's owner: confirm, name, join, split, choose a grouping, and undo. */
export function StrategyDecisions({ id, strategy }: StrategyDecisionsProps) {
  const { busy, failure, result, dialog, send, undoLast, openDialog, dismiss } = usePageDecisions(
    id,
    strategy?.groupingId,
  );
  const change = result?.change;
  const OpenDialog = dialog && DIALOGS[dialog];
  return (
    <>
      <DecisionStatus
        text={result?.text}
        busy={busy === UNDO}
        onUndo={change && (() => void undoLast(change))}
        onDismiss={dismiss}
      >
        {change?.strategies.slice(1).map((other) => (
          <Link key={other.id} to={strategyPath(other.id)} className="link">
            {`Open ${strategyName(other)}`}
          </Link>
        ))}
      </DecisionStatus>
      {failure && !dialog && (
        <p role="alert" className="pb-4 font-semibold text-loss text-ui">
          {failure}
        </p>
      )}
      {strategy && <Actions strategy={strategy} busy={busy} onDecide={send} onOpen={openDialog} />}
      {strategy && strategy.candidates.length > 0 && (
        <Panel
          title="These legs can be grouped in several ways"
          text="Choose the grouping that you meant. New trades will not change it."
          className="mb-5"
        >
          <GroupingOptions
            strategy={strategy}
            busy={busy}
            onChoose={(key, { decision }) => send(key, decision)}
            className="border-t"
          />
        </Panel>
      )}
      {OpenDialog && strategy && (
        <Suspense>
          <OpenDialog
            strategy={strategy}
            busy={busy === dialog}
            failure={failure}
            onDecide={(decision) => send(dialog, decision)}
            onClose={() => openDialog(undefined)}
          />
        </Suspense>
      )}
    </>
  );
}

/** Returns the open dialog and the last result of the page of a strategy, and actions that change them. */
function usePageDecisions(id: string, groupingId: string | undefined) {
  const [result, setResult] = useState<Result>();
  const [dialog, setDialog] = useState<DialogName>();
  const { busy, failure, clearFailure, decide, undo } = useDecisions(useShow(id));
  // The pressed button may be gone.
  useHeadingFocus(`${result?.change?.changeId} ${result?.text}`);

  async function decideAndShow(key: string, decision: StrategyDecision) {
    const change = await decide(key, id, { ...decision, ...(groupingId && { groupingId }) });
    if (!change) return;
    const { strategies } = change;
    setResult({ text: decisionText(decision, strategies), shownId: strategies[0]?.id ?? id, change });
    setDialog(undefined);
  }

  return {
    busy,
    failure,
    dialog,
    result: result?.shownId === id ? result : undefined,
    send: (key: string, decision: StrategyDecision) => void decideAndShow(key, decision),
    async undoLast(change: DecisionChange) {
      if (await undo(change))
        setResult({ text: "Undone. The legs are grouped as before.", shownId: change.previousId });
    },
    openDialog(name: DialogName | undefined) {
      clearFailure();
      setDialog(name);
    },
    dismiss: () => setResult(undefined),
  };
}

/** Returns a function that shows the page of a strategy, with fresh data, in place of the current one. */
function useShow(id: string): (shownId: string) => Promise<void> {
  const client = useQueryClient();
  const navigate = useNavigate();
  return async (shownId) => {
    await refreshStrategies(client, shownId);
    if (shownId === id) return;
    // Loaded before the page changes, so that the page does not flash.
    await client.prefetchQuery(
      $api.queryOptions("get", "/analytics/strategies/{id}", { params: { path: { id: shownId } } }),
    );
    await navigate(strategyPath(shownId), { replace: true });
  };
}

type ActionsProps = {
  strategy: Strategy;
  busy: string;
  onDecide: (key: string, decision: StrategyDecision) => void;
  onOpen: (dialog: DialogName) => void;
};

function Actions({ strategy, busy, onDecide, onOpen }: ActionsProps) {
  const button = (key: string, label: string, onPress: () => void) => (
    <Button
      variant="secondary"
      size="sm"
      pending={busy === key}
      disabled={busy !== "" && busy !== key}
      onClick={onPress}
      className="px-3.5! text-data! max-sm:h-11"
    >
      {label}
    </Button>
  );
  return (
    <fieldset
      aria-label="Grouping"
      data-print="no"
      className="flex flex-wrap items-center gap-x-2 gap-y-2 pb-4"
    >
      {!strategy.confirmedAt &&
        button("confirm", "Confirm grouping", () => onDecide("confirm", { action: "confirm" }))}
      {button("rename", "Rename", () => onOpen("rename"))}
      {button("join", "Join with another strategy", () => onOpen("join"))}
      {canSplit(strategy) && button("split", "Split", () => onOpen("split"))}
      {strategy.confirmedAt &&
        button("release", "Group automatically again", () => onDecide("release", { action: "release" }))}
      <p className="w-full text-data text-ink-2">
        {strategy.confirmedAt
          ? "New trades do not change this grouping. If you group it automatically again, its name is removed."
          : "Until you confirm it, new trades may change this grouping."}
      </p>
    </fieldset>
  );
}
