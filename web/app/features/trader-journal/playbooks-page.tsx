import { useQueryClient } from "@tanstack/react-query";
import { Plus, Trash2 } from "lucide-react";
import { lazy, Suspense, useId, useState } from "react";
import { Link } from "react-router";
import { FiguresLine, type JournalGroup } from "#features/trader-journal/group-figures.tsx";
import { JournalNav } from "#features/trader-journal/journal-nav.tsx";
import { brokenRulesText, rulesKeptText } from "#features/trader-journal/track-record.ts";
import { useLabels } from "#features/trader-journal/use-labels.ts";
import { api, type Schemas } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { date, plural } from "#lib/format.ts";
import { failureMessage, NO_ANSWER } from "#lib/problem.ts";
import { Button, IconButton } from "#ui/button.tsx";
import { Dialog } from "#ui/dialog.tsx";
import { LoadFailure } from "#ui/load-failure.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";
import { TextArea } from "#ui/text-area.tsx";
import { TextInput } from "#ui/text-input.tsx";

const MarkdownText = lazy(async () => ({
  default: (await import("#features/trader-journal/markdown.tsx")).MarkdownText,
}));

type Playbook = Schemas["Playbook"];

/** Setups with their checklists. */
export function PlaybooksPage() {
  const client = useQueryClient();
  const list = $api.useQuery("get", "/journal/playbooks");
  const setups = useLabels("setup");
  const records = useTrackRecords();
  const [edited, setEdited] = useState<Playbook | string>();
  const playbooks = list.data?.playbooks ?? [];
  const without = setups.filter(
    (name) => !playbooks.some((one) => one.name.toLowerCase() === name.toLowerCase()),
  );
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3 pt-1">
        <h1 tabIndex={-1} className="text-[2rem]">
          Playbooks
        </h1>
        <Button size="sm" icon={<Plus size={18} aria-hidden />} onClick={() => setEdited("")}>
          Add a playbook
        </Button>
      </div>
      <JournalNav current="Playbooks" />
      {list.isError && (
        <LoadFailure error={list.error} busy={list.isFetching} onRetry={() => void list.refetch()} />
      )}
      {records.failed && (
        <LoadFailure
          error={records.failed.error}
          busy={records.failed.isFetching}
          onRetry={() => void records.failed?.refetch()}
        />
      )}
      {list.isPending && (
        <div className="mt-6">
          <TableSkeleton label="Loading playbooks" columns={3} />
        </div>
      )}
      {list.data && playbooks.length === 0 && (
        <p className="mt-6 max-w-prose text-ink-2">
          A playbook is a setup with the rules you want to keep, such as "Stop placed at once". In the review
          you mark each rule as kept or broken.
        </p>
      )}
      <ul className="mt-2">
        {playbooks.map((playbook) => (
          <PlaybookItem
            key={playbook.id}
            playbook={playbook}
            record={records.find?.(playbook.name)}
            onEdit={() => setEdited(playbook)}
          />
        ))}
      </ul>
      {without.length > 0 && (
        <section className="mt-8">
          <h2 className="text-h4">Setups without a playbook</h2>
          <ul className="mt-2 flex flex-wrap gap-2">
            {without.map((name) => (
              <li key={name}>
                <Button variant="secondary" size="sm" onClick={() => setEdited(name)}>
                  {name}
                </Button>
              </li>
            ))}
          </ul>
        </section>
      )}
      {edited !== undefined && (
        <PlaybookDialog
          edited={edited}
          onClose={() => setEdited(undefined)}
          onSaved={() => {
            setEdited(undefined);
            void client.invalidateQueries({
              predicate: ({ queryKey: [, path] }) => String(path).startsWith("/journal/"),
            });
          }}
        />
      )}
    </>
  );
}

type TrackRecord = {
  /** Entries with the setup, and those of them with a broken rule; undefined if there are none. */
  all: JournalGroup | undefined;
  broken: JournalGroup | undefined;
  /** There are too many positions to compute figures. */
  tooMany: boolean;
};

/** Loads the track records; `find` returns that of a setup, and is undefined until they have loaded. */
function useTrackRecords() {
  const queries = [useSetupGroups("setup"), useSetupGroups("setupWithBrokenRule")] as const;
  const failed = queries.find(({ isError }) => isError);
  const [all, broken] = [queries[0].data, queries[1].data];
  const groupOf = (groups: JournalGroup[], setup: string) =>
    groups.find(({ name }) => name.toLowerCase() === setup.toLowerCase());
  const find =
    all &&
    broken &&
    ((setup: string): TrackRecord => ({
      all: groupOf(all.groups, setup),
      broken: groupOf(broken.groups, setup),
      tooMany: all.tooManyPositions,
    }));
  return { failed, find };
}

function useSetupGroups(by: "setup" | "setupWithBrokenRule") {
  return $api.useQuery(
    "get",
    "/journal/groups",
    { params: { query: { by, figures: true } } },
    { staleTime: 0 },
  );
}

type PlaybookItemProps = { playbook: Playbook; record: TrackRecord | undefined; onEdit: () => void };

function PlaybookItem({ playbook, record, onEdit }: PlaybookItemProps) {
  const { name, description, rules, createdAt } = playbook;
  return (
    <li className="border-line border-b py-5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 className="text-h4">{name}</h2>
        <span className="text-data text-ink-3">{`since ${date(createdAt)}, ${plural(rules.length, "rule")}`}</span>
        <span className="ml-auto flex items-center gap-3">
          <Link
            to={`/journal?setup=${encodeURIComponent(name)}`}
            className="flex min-h-11 items-center text-brand text-ui underline"
          >
            Entries<span className="sr-only"> with the setup {name}</span>
          </Link>
          <Button variant="secondary" size="sm" onClick={onEdit}>
            Edit<span className="sr-only"> {name}</span>
          </Button>
        </span>
      </div>
      {description && (
        <div className="mt-2 max-w-prose text-ink-2">
          <Suspense fallback={<p className="whitespace-pre-wrap">{description}</p>}>
            <MarkdownText text={description} />
          </Suspense>
        </div>
      )}
      {record && <Record {...record} />}
      <ol className="mt-3 border-rule border-l pl-4">
        {rules.map((rule) => (
          <li key={rule.id} className="py-1">
            {rule.text}
          </li>
        ))}
      </ol>
    </li>
  );
}

function Record({ all, broken, tooMany }: TrackRecord) {
  if (tooMany) return <p className="mt-2 text-data text-ink-3">Too many positions for figures.</p>;
  if (!all) return <p className="mt-2 text-data text-ink-3">No position or strategy has this setup yet.</p>;
  const texts = [rulesKeptText(all), brokenRulesText(all, broken)].filter(Boolean);
  return (
    <div className="mt-2 space-y-1">
      {all.figures ? (
        <FiguresLine figures={all.figures} />
      ) : (
        <p className="text-data text-ink-3">No position with this setup is closed yet.</p>
      )}
      {texts.length > 0 && <p className="text-data text-ink-2">{texts.join(". ")}</p>}
    </div>
  );
}

type RuleInput = { id: number; text: string; key: string };
type PlaybookDialogProps = {
  /** Playbook to edit, or the name of a new one. */
  edited: Playbook | string;
  onClose: () => void;
  onSaved: () => void;
};

function PlaybookDialog({ edited, onClose, onSaved }: PlaybookDialogProps) {
  const id = useId();
  const stored = typeof edited === "string" ? undefined : edited;
  const [name, setName] = useState(stored?.name ?? String(edited));
  const [description, setDescription] = useState(stored?.description ?? "");
  const [rules, setRules] = useState<RuleInput[]>(() => [
    ...(stored?.rules ?? []).map((rule) => ({ ...rule, key: `rule ${rule.id}` })),
    newRule(),
  ]);
  const [failure, setFailure] = useState("");
  const [pending, setPending] = useState(false);

  function setRule(key: string, text: string) {
    const changed = rules.map((rule) => (rule.key === key ? { ...rule, text } : rule));
    // An empty field for the next rule.
    setRules(changed.at(-1)?.text ? [...changed, newRule()] : changed);
  }
  async function run(request: () => Promise<{ error?: unknown; response: Response }>) {
    setPending(true);
    try {
      const { error, response } = await request();
      if (response.ok) return onSaved();
      setFailure(failureMessage(response, error));
    } catch {
      setFailure(NO_ANSWER);
    }
    setPending(false);
  }
  function save() {
    const body = {
      name,
      description,
      rules: rules.filter(({ text }) => text.trim()).map(({ id, text }) => ({ id, text })),
      version: stored?.version ?? 0,
    };
    return run(() =>
      stored
        ? api.PUT("/journal/playbooks/{id}", { params: { path: { id: stored.id } }, body })
        : api.POST("/journal/playbooks", { body }),
    );
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={stored ? "Edit playbook" : "Add a playbook"}
      actions={
        <>
          <Button variant="secondary" data-autofocus onClick={onClose}>
            Cancel
          </Button>
          {stored && (
            <Button
              variant="danger"
              pending={pending}
              onClick={() =>
                void run(() => api.DELETE("/journal/playbooks/{id}", { params: { path: { id: stored.id } } }))
              }
            >
              Delete
            </Button>
          )}
          <Button pending={pending} onClick={() => void save()}>
            Save
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <div>
          <label htmlFor={`${id} name`} className="mb-1 block text-data text-ink-2">
            Name of the setup
          </label>
          <TextInput
            id={`${id} name`}
            value={name}
            maxLength={40}
            onChange={(event) => setName(event.target.value)}
          />
        </div>
        <div>
          <label htmlFor={`${id} description`} className="mb-1 block text-data text-ink-2">
            In your words (optional)
          </label>
          <TextArea
            id={`${id} description`}
            value={description}
            maxLength={5_000}
            onChange={(event) => setDescription(event.target.value)}
          />
        </div>
        <fieldset>
          <legend className="mb-1 text-data text-ink-2">Rules</legend>
          <div className="space-y-2">
            {rules.map((rule, index) => (
              <div key={rule.key} className="flex gap-2">
                <TextInput
                  value={rule.text}
                  maxLength={200}
                  aria-label={`Rule ${index + 1}`}
                  onChange={(event) => setRule(rule.key, event.target.value)}
                />
                {rule.text && (
                  <IconButton
                    label={`Remove rule ${index + 1}`}
                    onClick={() => setRules(rules.filter(({ key }) => key !== rule.key))}
                  >
                    <Trash2 size={18} aria-hidden />
                  </IconButton>
                )}
              </div>
            ))}
          </div>
        </fieldset>
        {failure && (
          <p role="alert" className="text-loss text-ui">
            {failure}
          </p>
        )}
      </div>
    </Dialog>
  );
}

function newRule(): RuleInput {
  return { id: 0, text: "", key: crypto.randomUUID() };
}
