import clsx from "clsx";
import { TriangleAlert, X } from "lucide-react";
import { useState } from "react";
import { cureFor } from "#features/import/cures.ts";
import { cellName, type Finding, type Found, findingsOf } from "#features/import/findings.ts";
import { useMedia } from "#lib/use-media.ts";
import { PAGE, ShowMore } from "#ui/show-more.tsx";

const KINDS = {
  refused: { word: "Left out", Icon: X, ink: "text-loss", frame: "border-loss bg-loss-soft text-loss" },
  warning: {
    word: "Warning",
    Icon: TriangleAlert,
    ink: "text-warn",
    frame: "border-warn border-dashed bg-warn-soft text-warn",
  },
} as const;

export type FindingsTableProps = { label: string; findings: readonly Finding[] };

/** Rows that stay out or are worth a look: where, what the cell holds, the reason, and the cure. */
export function FindingsTable({ label, findings }: FindingsTableProps) {
  const wide = useMedia("(width >= 40rem)");
  const [shown, setShown] = useState(PAGE);
  const rows = findings.slice(0, shown);
  return (
    <>
      {wide ? <Table label={label} rows={rows} /> : <Cards label={label} rows={rows} />}
      <ShowMore shown={shown} of={findings.length} onMore={() => setShown(shown + PAGE)} />
    </>
  );
}

/** All that was found in a file. */
export function FileIssues({ label, found }: { label: string; found: Found }) {
  return <FindingsTable label={label} findings={findingsOf(found)} />;
}

const CELL = "border-line border-t px-3 py-2.5 align-top";
const HEAD = "h-10 px-3 font-medium text-floor text-ink-3";

function Table({ label, rows }: { label: string; rows: readonly Finding[] }) {
  const sheets = new Set(rows.map(({ sheet }) => sheet)).size > 1;
  return (
    <table aria-label={label} className="w-full border-separate border-spacing-0 text-left text-data">
      <thead>
        <tr>
          <th scope="col" className={`${HEAD} w-20 border-rule lg:w-26 border-r text-right`}>
            Row
          </th>
          {sheets && (
            <th scope="col" className={HEAD}>
              Sheet
            </th>
          )}
          <th scope="col" className={HEAD}>
            Value
          </th>
          <th scope="col" className={`${HEAD} w-3/5`}>
            What we found
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((finding, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a list that never changes; a row may be at fault twice
          <tr key={index}>
            <td className={`${CELL} border-r border-r-rule`}>
              <Mark finding={finding} />
            </td>
            {sheets && <td className={`${CELL} break-words`}>{finding.sheet}</td>}
            <td className={`${CELL} max-w-60`}>
              <Value finding={finding} />
            </td>
            <td className={CELL}>
              <Words finding={finding} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Cards({ label, rows }: { label: string; rows: readonly Finding[] }) {
  return (
    <ul aria-label={label} className="text-data">
      {rows.map((finding, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as in the table
        <li key={index} className="flex border-line border-t first:border-t-0">
          <div className="w-20 shrink-0 border-rule border-r px-2.5 py-3">
            <Mark finding={finding} />
          </div>
          <div className="min-w-0 flex-1 space-y-1.5 px-3 py-3">
            <Value finding={finding} />
            <Words finding={finding} />
            {finding.sheet && <p className="text-floor text-ink-3">Sheet {finding.sheet}</p>}
          </div>
        </li>
      ))}
    </ul>
  );
}

function Mark({ finding: { kind, row } }: { finding: Finding }) {
  const { word, Icon, ink } = KINDS[kind];
  return (
    <span className="flex items-center justify-between gap-2">
      <Icon size={17} strokeWidth={2.25} className={clsx("shrink-0", ink)} aria-hidden />
      <span className="sr-only">{word}, row </span>
      <span className="figures">{row === null ? "–" : row}</span>
    </span>
  );
}

function Value({ finding }: { finding: Finding }) {
  const { kind, value } = finding;
  // What is said of a whole row is about no value.
  if (!value) return <span className="text-ink-3">{cellName(finding) ? "Empty" : "–"}</span>;
  return (
    <span
      className={clsx(
        "inline-block max-w-full break-words rounded-tag border px-1.5 font-medium",
        KINDS[kind].frame,
      )}
    >
      {value}
    </span>
  );
}

function Words({ finding }: { finding: Finding }) {
  const cure = cureFor(finding);
  const place = finding.row === null ? "" : cellName(finding) || "Whole row";
  return (
    <>
      <p className="break-words">
        {place && <strong className="mr-1.5 font-semibold">{place}</strong>}
        {finding.message}
      </p>
      {cure && <p className="text-ink-2">{cure}</p>}
    </>
  );
}
