import { useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import type { Position } from "#features/trader-journal/position-facts.ts";
import { subjectOf } from "#features/trader-journal/position-subject.ts";
import { api, type Schemas } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { tradeName } from "#lib/contract.ts";
import { count, date } from "#lib/format.ts";
import { failureMessage, NO_ANSWER } from "#lib/problem.ts";
import { Button } from "#ui/button.tsx";
import { CONTROL } from "#ui/text-input.tsx";

type Orphan = Schemas["JournalOrphan"];

/** Maximum number of positions to choose from. */
const MAX_CHOICES = 100;

/** Entries whose position does not exist any longer; each can be attached to another one. Nothing if there are none. */
export function OrphanList() {
  const { data } = $api.useQuery("get", "/journal/orphans", undefined, { staleTime: 0 });
  if (!data?.total) return null;
  return (
    <details className="mt-5 border-warn border-y">
      <summary className="flex min-h-11 cursor-pointer items-center font-semibold text-ui text-warn">
        {data.total === 1
          ? "1 entry no longer matches a trade"
          : `${count(data.total)} entries no longer match a trade`}
      </summary>
      <p className="text-data text-ink-2">
        Their trades were removed or changed. Nothing that you wrote is lost: attach each entry to a position.
      </p>
      <ul className="mt-2">
        {data.orphans.map((orphan) => (
          <OrphanItem key={orphan.entry.id} orphan={orphan} />
        ))}
      </ul>
      {data.total > data.orphans.length && (
        <p className="py-2 text-data text-ink-2">{`The first ${count(data.orphans.length)} are shown.`}</p>
      )}
    </details>
  );
}

function OrphanItem({ orphan: { entry, currentKey } }: { orphan: Orphan }) {
  const client = useQueryClient();
  const id = useId();
  const [chosen, setChosen] = useState(currentKey ?? "");
  const [failure, setFailure] = useState("");
  const [pending, setPending] = useState(false);
  const { data } = $api.useQuery("get", "/analytics/positions", {
    params: { query: { limit: MAX_CHOICES, ...(entry.symbol && { symbol: entry.symbol }) } },
  });
  const positions = data?.positions ?? [];
  const labels = [entry.setup, ...entry.tags, ...entry.mistakes, entry.emotion].filter(Boolean);

  async function attach(position: Position) {
    setPending(true);
    try {
      const {
        data: attached,
        error,
        response,
      } = await api.POST("/journal/entries/{id}/attach", {
        params: { path: { id: entry.id } },
        body: { ...subjectOf(position), version: entry.version },
      });
      setFailure(attached ? "" : failureMessage(response, error));
      if (attached) {
        await client.invalidateQueries({
          predicate: ({ queryKey: [, path] }) => String(path).startsWith("/journal/"),
        });
      }
    } catch {
      setFailure(NO_ANSWER);
    }
    setPending(false);
  }
  const target = positions.find((position) => position.id === chosen);
  return (
    <li className="border-line border-t py-3">
      <p className="font-semibold text-data">{`${entry.symbol || "Position"}, ${date(entry.day)}`}</p>
      {labels.length > 0 && <p className="text-data text-ink-2">{labels.join(" · ")}</p>}
      {positions.length > 0 ? (
        <div className="mt-2 flex flex-wrap items-end gap-2">
          <div className="min-w-0 flex-1 basis-56">
            <label htmlFor={id} className="mb-1 block text-data text-ink-2">
              Attach to
            </label>
            <select
              id={id}
              value={chosen}
              onChange={(event) => setChosen(event.target.value)}
              className={CONTROL}
            >
              <option value="">Choose a position</option>
              {positions.map((position) => (
                <option key={position.id} value={position.id}>
                  {`${tradeName(position)}, ${date(position.openedAt)}, ${position.side} ${count(position.quantity)}`}
                </option>
              ))}
            </select>
          </div>
          <Button
            variant="secondary"
            pending={pending}
            onClick={() => (target ? void attach(target) : setFailure("Choose a position."))}
          >
            Attach<span className="sr-only"> the entry about {entry.symbol}</span>
          </Button>
        </div>
      ) : (
        data && (
          <p className="mt-1 text-data text-ink-2">
            {`There is no position in ${entry.symbol || "your log"}. Add its trades again to find the entry there.`}
          </p>
        )
      )}
      {failure && (
        <p role="alert" className="mt-1 text-data text-loss">
          {failure}
        </p>
      )}
    </li>
  );
}
