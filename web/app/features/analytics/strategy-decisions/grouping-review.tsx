import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Link, useSearchParams } from "react-router";
import { FRESH, type Strategy } from "#features/analytics/analytics-api.ts";
import { NetResult } from "#features/analytics/strategies/net-result.tsx";
import {
  parseStrategyFilters,
  REVIEW,
  strategyQuery,
} from "#features/analytics/strategies/strategies-view.ts";
import { daysText, strategyName } from "#features/analytics/strategies/strategy-names.ts";
import { GroupingOptions, KeyHint } from "#features/analytics/strategy-decisions/grouping-options.tsx";
import {
  decisionText,
  type Grouping,
  indexOfPlace,
  listGroupings,
  type Place,
} from "#features/analytics/strategy-decisions/groupings.ts";
import {
  type DecisionChange,
  refreshStrategies,
  UNDO,
  useDecisions,
} from "#features/analytics/strategy-decisions/use-decisions.ts";
import { strategyPath } from "#lib/analytics-paths.ts";
import { $api } from "#lib/api-query.ts";
import { brokerAccountName } from "#lib/books.ts";
import { count } from "#lib/format.ts";
import { useShortcuts } from "#lib/use-shortcuts.ts";
import { Button, type ButtonProps } from "#ui/button.tsx";
import { LoadFailure } from "#ui/load-failure.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

/** Review of the ambiguous strategies that match the filters of the address, one at a time. */
export function GroupingReview() {
  const [params] = useSearchParams();
  const filters = strategyQuery(parseStrategyFilters(params));
  const query = $api.useQuery(
    "get",
    "/analytics/strategies",
    { params: { query: { ambiguous: true, limit: 100, ...filters } } },
    FRESH,
  );
  const list = new URLSearchParams(params);
  list.delete(REVIEW.key);
  return (
    <>
      <Link to={{ search: list.toString() }} className="link inline-flex min-h-11 items-center text-ui">
        Back to strategies
      </Link>
      {query.data ? (
        <Review strategies={query.data.strategies} total={query.data.total} />
      ) : query.isError ? (
        <LoadFailure error={query.error} busy={query.isFetching} onRetry={() => void query.refetch()} />
      ) : (
        <TableSkeleton label="Loading strategies" columns={3} />
      )}
    </>
  );
}

type ReviewProps = { strategies: readonly Strategy[]; total: number };

function Review({ strategies, total }: ReviewProps) {
  const { index, strategy, move, choose, undo, changes, message, busy, failure } = useReview(strategies);
  const heading = useFocusOnChange(strategy?.id ?? "");
  const groupings = strategy ? listGroupings(strategy) : [];
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    u: undo,
    ...Object.fromEntries(
      groupings.slice(0, 9).map((grouping, option) => {
        const key = `${option + 1}`;
        return [key, () => choose(key, grouping)];
      }),
    ),
  });
  return (
    <>
      <p role="status" className="min-h-[1.45em] font-semibold text-ui">
        {message}
      </p>
      {failure && (
        <p role="alert" className="pt-2 font-semibold text-loss text-ui">
          {failure}
        </p>
      )}
      {strategy ? (
        <article aria-label={strategyName(strategy)} className="mt-3 max-w-3xl">
          <p className="text-data text-ink-2">{`${count(index + 1)} of ${count(total)}`}</p>
          <Summary strategy={strategy} heading={heading} />
          <GroupingOptions
            strategy={strategy}
            busy={busy}
            withKeys
            onChoose={choose}
            className="mt-4 rounded-panel border bg-surface"
          />
        </article>
      ) : (
        <div className="mt-4">
          <h2 ref={heading} tabIndex={-1} className="text-h4 outline-none">
            All groupings are checked
          </h2>
          <p className="mt-1 max-w-prose text-ink-2">
            The chosen groupings will not be changed automatically any more.
          </p>
        </div>
      )}
      <ReviewBar
        busy={busy}
        canMove={strategies.length > 1}
        onMove={move}
        onUndo={changes > 0 ? undo : undefined}
      />
    </>
  );
}

type SummaryProps = { strategy: Strategy; heading: React.Ref<HTMLHeadingElement> };

function Summary({ strategy, heading }: SummaryProps) {
  return (
    <>
      <div className="mt-1 flex flex-wrap items-baseline gap-x-3">
        <h2 ref={heading} tabIndex={-1} className="text-h4 outline-none">
          {strategyName(strategy)}
        </h2>
        <NetResult {...strategy} />
      </div>
      <p className="text-data text-ink-2">{`${brokerAccountName(strategy)} · ${daysText(strategy)}`}</p>
      <Link to={strategyPath(strategy.id)} className="link inline-flex min-h-11 items-center text-ui">
        Open the strategy
      </Link>
    </>
  );
}

/** Returns the strategy under review, and actions that choose its grouping and move through the list. */
function useReview(strategies: readonly Strategy[]) {
  const client = useQueryClient();
  const refresh = () => refreshStrategies(client);
  const { busy, failure, decide, undo } = useDecisions(refresh);
  const [place, setPlace] = useState<Place>({ id: "", index: 0 });
  const [changes, setChanges] = useState<readonly DecisionChange[]>([]);
  const [message, setMessage] = useState("");
  const ids = strategies.map(({ id }) => id);
  const index = indexOfPlace(ids, place);
  const strategy = strategies[index];

  function move(steps: number) {
    const next = Math.min(Math.max(index + steps, 0), ids.length - 1);
    setPlace({ id: ids[next] ?? "", index: next });
  }

  async function choose(key: string, { decision }: Grouping) {
    if (!strategy || busy) return;
    // After the choice the next strategy has this index.
    setPlace({ id: strategy.id, index });
    const change = await decide(key, strategy.id, { ...decision, groupingId: strategy.groupingId });
    if (!change) return void (await refresh());
    setChanges((now) => [...now, change]);
    setMessage(`${decisionText(decision, change.strategies)}.`);
  }

  async function undoLast() {
    const change = changes.at(-1);
    if (!change || busy || !(await undo(change))) return;
    setChanges((now) => now.slice(0, -1));
    setPlace({ id: change.previousId, index });
    setMessage("Undone. Choose again.");
  }

  return {
    index,
    strategy,
    move,
    choose: (key: string, grouping: Grouping) => void choose(key, grouping),
    undo: () => void undoLast(),
    changes: changes.length,
    message,
    busy,
    failure,
  };
}

/** Returns a ref for an element that gets the focus whenever `state` changes. */
function useFocusOnChange(state: string) {
  const element = useRef<HTMLHeadingElement>(null);
  const shown = useRef(state);
  useEffect(() => {
    if (shown.current === state) return;
    shown.current = state;
    element.current?.focus();
  }, [state]);
  return element;
}

type ReviewBarProps = {
  busy: string;
  canMove: boolean;
  onMove: (steps: number) => void;
  /** Undefined if there is nothing to undo. */
  onUndo: (() => void) | undefined;
};

/** Buttons below the strategy, above the bar of pages on phones. */
function ReviewBar({ busy, canMove, onMove, onUndo }: ReviewBarProps) {
  if (!canMove && !onUndo) return null;
  return (
    <div
      data-sticky-bar
      className="sticky bottom-0 mt-4 flex max-w-3xl flex-wrap gap-2 border-line border-t bg-bg py-3 max-sm:bottom-16"
    >
      {canMove && (
        <>
          <BarButton shortcut="k" label="Previous" disabled={busy !== ""} onClick={() => onMove(-1)} />
          <BarButton shortcut="j" label="Next" disabled={busy !== ""} onClick={() => onMove(1)} />
        </>
      )}
      {onUndo && <BarButton shortcut="u" label="Undo" pending={busy === UNDO} onClick={onUndo} />}
    </div>
  );
}

function BarButton({ shortcut, label, ...rest }: ButtonProps & { shortcut: string; label: string }) {
  return (
    <Button variant="secondary" aria-keyshortcuts={shortcut} {...rest} className="px-3!">
      <KeyHint name={shortcut} />
      {label}
    </Button>
  );
}
