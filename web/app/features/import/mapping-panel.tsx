import { Check, TriangleAlert } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import { FileIssues } from "#features/import/issues-table.tsx";
import {
  COLUMN_FIELDS,
  type ColumnField,
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
import { readTable, saveMapping } from "#features/import/send-mapping.ts";
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
  const { table, failure } = useTable(email, file, headerRow, draft);
  const [saveFailure, setSaveFailure] = useState("");
  const [pending, setPending] = useState(false);
  useEffect(() => heading.current?.focus(), []);
  // A new header needs new suggestions.
  const header = table?.header.join("\n");
  const [suggestedFor, setSuggestedFor] = useState<string>();
  if (table && header !== suggestedFor) {
    setSuggestedFor(header);
    setDraft(suggestMapping(table, tradetype));
  }

  async function save(checked: Table, current: MappingDraft) {
    const open = openQuestion(checked, current);
    const mapping = toMapping(checked, current);
    setSaveFailure(open);
    if (open || !mapping) return;
    setPending(true);
    const failed = await saveMapping(file.name, mapping);
    setPending(false);
    if (failed) setSaveFailure(failed);
    else onSaved();
  }

  return (
    <section aria-labelledby={headingId} className="mt-8 border-line border-t pt-6">
      <h2 ref={heading} id={headingId} tabIndex={-1} className="break-words text-h4">
        Is this how to read {file.name}?
      </h2>
      <p className="mt-1 max-w-[66ch] text-ink-2 text-ui">
        We do not know this file yet. Say once what its columns are. The next file with the same columns is
        read without questions. Nothing is stored before you confirm.
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
              Yes, remember it
            </Button>
            <Button variant="secondary" onClick={onCancel}>
              Leave out
            </Button>
          </div>
        </>
      )}
      {failure && (
        <Button variant="secondary" className="mt-4" onClick={onCancel}>
          Leave out
        </Button>
      )}
    </section>
  );
}

/** Returns the question that is still open; empty if the mapping can be saved. */
function openQuestion(table: Table, draft: MappingDraft): string {
  const missing = missingText(draft);
  if (missing) return missing;
  if (!table.result) return "The file is still being read. Try again in a moment.";
  if (table.result.trades === 0) return "No row can be read as a trade with these columns.";
  if (!table.dateOrderProven && !draft.dateOrder) return "Choose the order of day and month.";
  return "";
}

/** Reads the table, and again after each change of the answers. Keeps the last table while it is read again. */
function useTable(email: string, file: File, headerRow: number | undefined, draft: MappingDraft | undefined) {
  const [table, setTable] = useState<Table>();
  const [failure, setFailure] = useState("");
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
        }
      },
      read.current ? READ_DELAY_MS : 0,
    );
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [email, file, headerRow, draft]);
  return { table, failure };
}

type HeaderRowProps = { row: number; sheet: string | undefined; onChange: (row: number) => void };

function HeaderRow({ row, sheet, onChange }: HeaderRowProps) {
  const id = useId();
  return (
    <p className="mt-4 flex flex-wrap items-center gap-2 text-data text-ink-2">
      <label htmlFor={id}>The names of the columns are in row</label>
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
            Is
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
                aria-label={`${name || `Column ${column + 1}`} is`}
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
    result.skipped > 0 && `${plural(result.skipped, "row")} without a day skipped`,
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
