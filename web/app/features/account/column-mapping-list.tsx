import { useQueryClient } from "@tanstack/react-query";
import { type ChangeEvent, useId, useState } from "react";
import { AccountFailure } from "#features/account/account-section.tsx";
import { AccountSkeleton } from "#features/account/account-skeleton.tsx";
import { mappingFileName, parseMappingFile, toMappingFile } from "#features/account/mapping-file.ts";
import { api, type Schemas } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { brokerName, tradeTypeName } from "#lib/books.ts";
import { errorMessage } from "#lib/problem.ts";
import { saveFile } from "#lib/save-file.ts";
import { Button } from "#ui/button.tsx";
import { FormFailure } from "#ui/form-failure.tsx";

const KEY = ["get", "/trades/column-mappings"] as const;
/** Size above which a file is no mapping. */
const MAX_FILE_BYTES = 64 * 1024;

type Saved = Schemas["SavedColumnMapping"];

/** Saved column mappings: each can be downloaded and deleted, and one can be added from a file. */
export function ColumnMappingList() {
  const { data, error, isFetching, refetch } = $api.useQuery("get", "/trades/column-mappings", {});
  const client = useQueryClient();
  const [news, setNews] = useState("");
  const [failure, setFailure] = useState("");
  if (error) return <AccountFailure error={error} onRetry={() => void refetch()} busy={isFetching} />;
  if (!data) return <AccountSkeleton label="Loading column mappings" />;

  async function send(request: Promise<{ error?: unknown }>, done: string) {
    const failed = await request.then(
      ({ error: rejected }) => (rejected === undefined ? "" : errorMessage(rejected)),
      () => "No connection. Try again.",
    );
    setFailure(failed);
    setNews(failed ? "" : done);
    if (!failed) await client.invalidateQueries({ queryKey: KEY });
  }

  async function add(file: File) {
    const body = file.size <= MAX_FILE_BYTES ? parseMappingFile(await file.text()) : undefined;
    if (!body) {
      setNews("");
      setFailure("This file is not a column mapping. Choose a .json file that you downloaded here.");
      return;
    }
    await send(api.POST("/trades/column-mappings", { body }), `${body.name} was added.`);
  }

  return (
    <>
      {data.mappings.length === 0 ? (
        <p className="text-ink-2 text-ui">None yet.</p>
      ) : (
        <ul className="overflow-hidden rounded-panel border border-line bg-surface">
          {data.mappings.map((saved) => (
            <MappingEntry
              key={saved.id}
              saved={saved}
              onDelete={() =>
                void send(
                  api.DELETE("/trades/column-mappings/{digest}", { params: { path: { digest: saved.id } } }),
                  `${saved.name} was deleted.`,
                )
              }
            />
          ))}
        </ul>
      )}
      <MappingUpload onFile={(file) => void add(file)} />
      <FormFailure>{failure}</FormFailure>
      <p role="status" className="text-data text-ink-2">
        {news}
      </p>
    </>
  );
}

function MappingEntry({ saved, onDelete }: { saved: Saved; onDelete: () => void }) {
  const { name, mapping } = saved;
  const download = () =>
    saveFile(mappingFileName(name), new Blob([toMappingFile(saved)], { type: "application/json" }));
  return (
    <li className="border-line border-b px-4 py-3 last:border-b-0">
      <p className="break-words text-ui">
        <strong className="font-semibold">{name}</strong>{" "}
        <span className="text-ink-2">
          {brokerName(mapping.broker)}, {tradeTypeName(mapping.tradetype)} · {mapping.header.length} columns
        </span>
      </p>
      <div className="-ml-4 flex flex-wrap">
        <Button size="sm" variant="quiet" aria-label={`Download the mapping of ${name}`} onClick={download}>
          Download
        </Button>
        <Button size="sm" variant="quiet" aria-label={`Delete the mapping of ${name}`} onClick={onDelete}>
          Delete
        </Button>
      </div>
    </li>
  );
}

function MappingUpload({ onFile }: { onFile: (file: File) => void }) {
  const id = useId();
  function choose({ currentTarget }: ChangeEvent<HTMLInputElement>) {
    const file = currentTarget.files?.[0];
    currentTarget.value = "";
    if (file) onFile(file);
  }
  return (
    <div className="mt-3">
      <label htmlFor={id} className="block text-data text-ink-2">
        Add a column mapping (JSON file)
      </label>
      <input
        id={id}
        type="file"
        accept=".json,application/json"
        onChange={choose}
        className="mt-1 block min-h-11 max-w-full text-data text-ink-2"
      />
    </div>
  );
}
