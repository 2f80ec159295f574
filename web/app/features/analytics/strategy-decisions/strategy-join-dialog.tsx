import { type FormEvent, useId, useState } from "react";
import { FRESH, type Strategy } from "#features/analytics/analytics-api.ts";
import { NetResult } from "#features/analytics/strategies/net-result.tsx";
import { daysText, strategyName, strikesText } from "#features/analytics/strategies/strategy-names.ts";
import {
  JOIN_DAYS,
  joinCandidates,
  joinQuery,
} from "#features/analytics/strategy-decisions/join-candidates.ts";
import type { DecisionDialogProps } from "#features/analytics/strategy-decisions/strategy-decisions.tsx";
import { $api } from "#lib/api-query.ts";
import { brokerAccountName } from "#lib/books.ts";
import { Button } from "#ui/button.tsx";
import { Checkbox } from "#ui/checkbox.tsx";
import { Dialog } from "#ui/dialog.tsx";
import { FormFailure } from "#ui/form-failure.tsx";
import { LoadFailure } from "#ui/load-failure.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

/** Dialog that adds the legs of other strategies on the same underlying. */
export function StrategyJoinDialog({ strategy, busy, failure, onDecide, onClose }: DecisionDialogProps) {
  const form = useId();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [error, setError] = useState("");

  function send(event: FormEvent) {
    event.preventDefault();
    setError(selected.size === 0 ? "Select at least one strategy." : "");
    if (selected.size > 0) onDecide({ action: "join", strategyIds: [...selected] });
  }

  function toggle(id: string) {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    setSelected(next);
    setError("");
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title="Join with another strategy"
      className="sm:max-w-xl!"
      actions={
        <>
          <Button variant="secondary" data-autofocus onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" form={form} pending={busy}>
            Join
          </Button>
        </>
      }
    >
      <p>
        {`The selected strategies become part of this one. Strategies on ${strategy.underlying} that were opened within ${JOIN_DAYS} days of it, the nearest first:`}
      </p>
      <form id={form} method="post" noValidate onSubmit={send} className="text-ink">
        <Candidates strategy={strategy} selected={selected} onToggle={toggle} />
        <FormFailure>{error || failure}</FormFailure>
      </form>
    </Dialog>
  );
}

type CandidatesProps = { strategy: Strategy; selected: ReadonlySet<string>; onToggle: (id: string) => void };

function Candidates({ strategy, selected, onToggle }: CandidatesProps) {
  const query = $api.useQuery(
    "get",
    "/analytics/strategies",
    { params: { query: joinQuery(strategy) } },
    FRESH,
  );
  if (!query.data) {
    return query.isError ? (
      <LoadFailure error={query.error} busy={query.isFetching} onRetry={() => void query.refetch()} />
    ) : (
      <TableSkeleton label="Loading strategies" columns={3} />
    );
  }
  const candidates = joinCandidates(query.data.strategies, strategy);
  if (candidates.length === 0) return <p className="py-3 font-semibold">There are no such strategies.</p>;
  return (
    <fieldset className="divide-y divide-line border-line border-y">
      <legend className="sr-only">Strategies</legend>
      {candidates.map((other) => (
        <Checkbox key={other.id} checked={selected.has(other.id)} onChange={() => onToggle(other.id)}>
          <span className="block font-semibold">{strategyName(other)}</span>
          <span className="block text-data text-ink-2">
            {[strikesText(other), daysText(other), accountText(other, strategy)].filter(Boolean).join(" · ")}
          </span>
          <span className="block text-data">
            <NetResult {...other} />
          </span>
        </Checkbox>
      ))}
    </fieldset>
  );
}

/** Returns the account with the broker if it is another one. */
function accountText(other: Strategy, strategy: Strategy): string {
  const name = brokerAccountName(other);
  return name === brokerAccountName(strategy) ? "" : name;
}
