import { useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useAttachChoices } from "#features/trader-journal/attach-choices.ts";
import { entryTitle } from "#features/trader-journal/entry-title.ts";
import type { JournalSubject } from "#features/trader-journal/journal-entry.ts";
import { api, type Schemas } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { count } from "#lib/format.ts";
import { failureMessage, NO_ANSWER } from "#lib/problem.ts";
import { Button } from "#ui/button.tsx";
import { CONTROL } from "#ui/text-input.tsx";

type Orphan = Schemas["JournalOrphan"];

/**
 * Entries whose position or strategy does not exist any longer; each can be attached to another one. Nothing if there
 * are none.
 */
export function OrphanList() {
  const { data } = $api.useQuery("get", "/journal/orphans", undefined, { staleTime: 0 });
  if (!data?.total) return null;
  return (
    <details className="mt-5 border-warn border-y">
      <summary className="min-h-11 cursor-pointer py-2.5 font-semibold text-ui text-warn">
        {data.total === 1
          ? "1 entry no longer matches a trade"
          : `${count(data.total)} entries no longer match a trade`}
      </summary>
      <p className="text-data text-ink-2">
        Their trades were removed or changed. Nothing that you wrote is lost: attach each entry to another
        position or strategy.
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
  const choices = useAttachChoices(entry);
  const labels = [entry.setup, ...entry.tags, ...entry.mistakes, entry.emotion].filter(Boolean);

  async function attach(subject: JournalSubject) {
    setPending(true);
    try {
      const {
        data: attached,
        error,
        response,
      } = await api.POST("/journal/entries/{id}/attach", {
        params: { path: { id: entry.id } },
        body: { ...subject, version: entry.version },
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
  const target = choices?.find(({ subject }) => subject.key === chosen);
  return (
    <li className="border-line border-t py-3">
      <p className="font-semibold text-data">{entryTitle(entry)}</p>
      {labels.length > 0 && <p className="text-data text-ink-2">{labels.join(" · ")}</p>}
      {choices?.length ? (
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
              <option value="">{`Choose a ${entry.kind}`}</option>
              {choices.map(({ subject, label }) => (
                <option key={subject.key} value={subject.key}>
                  {label}
                </option>
              ))}
            </select>
          </div>
          <Button
            variant="secondary"
            pending={pending}
            onClick={() => (target ? void attach(target.subject) : setFailure(`Choose a ${entry.kind}.`))}
          >
            Attach<span className="sr-only"> the entry about {entry.symbol}</span>
          </Button>
        </div>
      ) : (
        choices && (
          <p className="mt-1 text-data text-ink-2">
            {`There is no ${entry.kind} in ${entry.symbol || "your log"}. Add its trades again to find the entry there.`}
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
