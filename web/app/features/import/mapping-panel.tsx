import { Check, TriangleAlert } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import { FileIssues } from "#features/import/issues-table.tsx";
import {
  COLUMN_FIELDS,
  type ColumnField,
  type Mapping,
  type MappingDraft,
  missingText,
  needsSideLabels,
  proofOf,
  suggestMapping,
  type Table,
  toMapping,
} from "#features/import/mapping.ts";
import { MappingOptions } from "#features/import/mapping-options.tsx";
import { MappingSample } from "#features/import/mapping-sample.tsx";
import { readTable, saveMapping, type TableResult } from "#features/import/send-mapping.ts";
import type { Book } from "#lib/books.ts";
import { count, plural } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";
import { FormFailure } from "#ui/form-failure.tsx";
import { Select } from "#ui/select.tsx";

/** Delay after the last change before the file is read again. */
const READ_DELAY_MS = 300;

export type MappingPanelProps = {
  email: string;
  file: File;
  tradetype: Book["tradetype"];
  /** Called when the mapping is saved, so that the file can be imported. */
  onSaved: () => void;
  onCancel: () => void;
};

/** Asks for the meaning of the columns of a table with an unknown layout, and shows its rows as trades. */
export function MappingPanel({ email, file, tradetype, onSaved, onCancel }: MappingPanelProps) {
  const headingId = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  const [headerRow, setHeaderRow] = useState<number>();
  const [draft, setDraft] = useState<MappingDraft>();
  const { table, failure, isCurrent } = useTable(email, file, headerRow, draft);
  const [saveFailure, setSaveFailure] = useState("");
  const [pending, setPending] = useState(false);
  useEffect(() => heading.current?.focus(), []);
  // A new header needs new suggestions.
  const header = table?.header.join("\n");
  const [suggestedFor, setSuggestedFor] = useState<string>();
  if (table && header !== suggestedFor) {
    setSuggestedFor(header);
    const suggested = suggestMapping(table, draft?.tradetype ?? tradetype);
    setDraft({ ...suggested, broker: draft?.broker ?? "", exchange: draft?.exchange ?? "" });
  }

  async function save(shown: Table, current: MappingDraft) {
    const missing = missingText(current);
    const mapping = toMapping(shown, current);
    setSaveFailure(missing);
    if (missing || !mapping) return;
    setPending(true);
    const failed = await checkAndSave(shown, current, mapping);
    setPending(false);
    if (failed) setSaveFailure(failed);
    else onSaved();
  }

  /** Saves a mapping that all rows were checked with; returns what is open or failed. */
  async function checkAndSave(shown: Table, current: MappingDraft, mapping: Mapping): Promise<string> {
    const { signal } = new AbortController();
    const checked: TableResult = isCurrent
      ? { kind: "read", table: shown }
      : await readTable(email, file, { headerRow, mapping }, signal);
    if (checked.kind === "failed") return checked.text;
    return openQuestion(checked.table, current) || saveMapping(file.name, mapping);
  }

  return (
    <section aria-labelledby={headingId} className="mt-8 border-line border-t pt-6">
      <h2 ref={heading} id={headingId} tabIndex={-1} className="break-words text-h4">
        Columns of {file.name}
      </h2>
      <p className="mt-1 max-w-[66ch] text-ink-2 text-ui">
        This file format is new to us. Choose what each column contains. We remember it for the next file with
        the same columns. Not imported yet.
      </p>
      {failure && <FormFailure>{failure}</FormFailure>}
      {!table && !failure && (
        <p role="status" className="mt-4 text-ink-2 text-ui">
          Reading the file
        </p>
      )}
      {table && draft && (
        <>
          <HeaderRow row={table.headerRow} sheet={table.sheet} onChange={setHeaderRow} />
          <ColumnTable table={table} draft={draft} onChange={setDraft} />
          <MappingOptions
            draft={draft}
            asksForSideLabels={needsSideLabels(table, draft)}
            onChange={setDraft}
          />
          <Result table={table} draft={draft} fileName={file.name} />
          <FormFailure>{saveFailure}</FormFailure>
          <div className="mt-4 flex flex-wrap gap-3">
            <Button pending={pending} onClick={() => void save(table, draft)}>
              Save and import
            </Button>
            <Button variant="secondary" onClick={onCancel}>
              Remove file
            </Button>
          </div>
        </>
      )}
      {failure && !table && (
        <Button variant="secondary" className="mt-4" onClick={onCancel}>
          Remove file
        </Button>
      )}
    </section>
  );
}

/** Returns what the check of all rows leaves open; empty if the mapping can be saved. */
function openQuestion(table: Table, draft: MappingDraft): string {
  if (!table.result?.trades) return "No row can be read as a trade with these columns.";
  if (!table.dateOrderProven && !draft.dateOrder) return "Choose the date format.";
  return "";
}

/**
 * Reads the table, and again after each change of the draft. Keeps the last table while it is read again; `isCurrent` is
 * true if it was read with the current draft.
 */
function useTable(email: string, file: File, headerRow: number | undefined, draft: MappingDraft | undefined) {
  const [table, setTable] = useState<Table>();
  const [failure, setFailure] = useState("");
  const [readWith, setReadWith] = useState<MappingDraft>();
  const read = useRef<Table>(undefined);
  useEffect(() => {
    const controller = new AbortController();
    const isComplete = draft && read.current && !missingText(draft);
    const mapping = isComplete && read.current ? toMapping(read.current, draft) : undefined;
    const timer = setTimeout(
      async () => {
        const result = await readTable(email, file, { headerRow, mapping }, controller.signal);
        if (controller.signal.aborted) return;
        setFailure(result.kind === "failed" ? result.text : "");
        if (result.kind === "read") {
          read.current = result.table;
          setTable(result.table);
          setReadWith(draft);
        }
      },
      read.current ? READ_DELAY_MS : 0,
    );
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [email, file, headerRow, draft]);
  return { table, failure, isCurrent: draft !== undefined && readWith === draft };
}

type HeaderRowProps = { row: number; sheet: string | undefined; onChange: (row: number) => void };

function HeaderRow({ row, sheet, onChange }: HeaderRowProps) {
  const id = useId();
  return (
    <p className="mt-4 flex flex-wrap items-center gap-2 text-data text-ink-2">
      <label htmlFor={id}>Row with the column names</label>
      <input
        id={id}
        key={row}
        type="number"
        inputMode="numeric"
        min={1}
        max={100}
        defaultValue={row}
        onBlur={({ currentTarget }) => {
          const typed = currentTarget.valueAsNumber;
          if (Number.isInteger(typed) && typed >= 1 && typed <= 100 && typed !== row) onChange(typed);
        }}
        className="figures h-11 w-20 rounded-control border border-line-strong bg-surface px-3 text-ink"
      />
      {sheet && <span>of the sheet {sheet}</span>}
    </p>
  );
}

type ColumnTableProps = { table: Table; draft: MappingDraft; onChange: (draft: MappingDraft) => void };

const CELL = "border-line border-t py-1.5 pr-4 align-middle";

/** Columns of the file: name, meaning, first value, and what the whole file says about it. */
function ColumnTable({ table, draft, onChange }: ColumnTableProps) {
  const [first] = table.rows;

  function choose(column: number, value: string) {
    const field = COLUMN_FIELDS.find((option) => option.value === value)?.value ?? "";
    // A field has one column: the trader's last choice counts.
    const fields = draft.fields.map((other, index) => (index !== column && other === field ? "" : other));
    onChange({
      ...draft,
      fields: fields.with(column, field),
      suggested: draft.suggested.with(column, false),
    });
  }

  return (
    <table className="mt-3 w-full max-w-4xl border-separate border-spacing-0 text-left text-data max-sm:block">
      <thead className="max-sm:sr-only">
        <tr className="text-floor text-ink-3">
          <th scope="col" className="pr-4 pb-1 font-medium">
            Column
          </th>
          <th scope="col" className="pr-4 pb-1 font-medium">
            Content
          </th>
          <th scope="col" className="pr-4 pb-1 font-medium">
            First row
          </th>
          <th scope="col" className="pb-1 font-medium">
            Check of all rows
          </th>
        </tr>
      </thead>
      <tbody className="max-sm:block">
        {table.header.map((name, column) => (
          <tr
            // biome-ignore lint/suspicious/noArrayIndexKey: a column is identified by its place
            key={column}
            className="max-sm:grid max-sm:grid-cols-2 max-sm:items-center max-sm:border-line max-sm:border-t max-sm:py-2"
          >
            <th scope="row" className={`${CELL} max-w-48 break-words font-normal max-sm:border-0`}>
              {name || <span className="text-ink-3">Column {column + 1}</span>}
            </th>
            <td className={`${CELL} max-sm:border-0`}>
              <Select
                aria-label={`${name || `Column ${column + 1}`} contains`}
                value={draft.fields[column] ?? ""}
                placeholder="Not needed"
                options={COLUMN_FIELDS}
                onChange={({ currentTarget }) => choose(column, currentTarget.value)}
                className="min-w-36 text-data"
              />
              {draft.suggested[column] && <span className="text-floor text-warn">Suggested</span>}
            </td>
            <td className={`${CELL} figures max-w-48 break-words text-ink-2 max-sm:border-0`}>
              {first?.cells[column]}
            </td>
            <td className={`${CELL} max-sm:border-0`}>
              <ProofMark field={draft.fields[column] ?? ""} table={table} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function ProofMark({ field, table }: { field: ColumnField | ""; table: Table }) {
  const proof = proofOf(field, table);
  if (!proof) return null;
  const Icon = proof.ok ? Check : TriangleAlert;
  return (
    <span className="flex gap-1.5">
      <Icon size={15} aria-hidden className={`mt-0.5 shrink-0 ${proof.ok ? "text-gain" : "text-warn"}`} />
      <span className={proof.ok ? "text-ink-2" : "text-warn"}>{proof.text}</span>
    </span>
  );
}

/** First trades, and the rows that cannot be read or are unusual. */
function Result({ table, draft, fileName }: { table: Table; draft: MappingDraft; fileName: string }) {
  const { result } = table;
  const missing = missingText(draft);
  if (missing || !result) {
    return (
      <p role="status" className="mt-5 text-ink-2 text-ui">
        {missing}
      </p>
    );
  }
  const failing = result.rejectedTotal;
  const text = [
    `${count(result.trades)} of ${plural(result.rows, "row")} can be read as trades`,
    failing > 0 && `${plural(failing, "row")} cannot be imported`,
    result.skipped > 0 && `${plural(result.skipped, "row")} without a date skipped`,
  ].filter(Boolean);
  return (
    <div className="mt-6">
      <h3 className="font-semibold">First trades</h3>
      <p role="status" className="text-data text-ink-2">
        {text.join(" · ")}
      </p>
      <MappingSample trades={result.sample} />
      {(result.rejected.length > 0 || result.warnings.length > 0) && (
        <div className="mt-4 rounded-panel border border-line bg-surface">
          <FileIssues label={`Rows of ${fileName} to check`} lists={result} />
        </div>
      )}
    </div>
  );
}
