import clsx from "clsx";
import { TriangleAlert, X } from "lucide-react";
import { useState } from "react";
import {
  cellName,
  fixFor,
  groupKey,
  type Issue,
  type IssueGroup,
  type IssueLists,
  issueGroups,
  listIssues,
} from "#features/import/issues.ts";
import { count } from "#lib/format.ts";
import { useMedia } from "#lib/use-media.ts";
import { PAGE_SIZE, ShowMore } from "#ui/show-more.tsx";

const KINDS = {
  skipped: { word: "Skipped", Icon: X, ink: "text-loss", frame: "border-loss bg-loss-soft text-loss" },
  warning: {
    word: "Warning",
    Icon: TriangleAlert,
    ink: "text-warn",
    frame: "border-warn border-dashed bg-warn-soft text-warn",
  },
} as const;

export type IssuesTableProps = { label: string; issues: readonly Issue[] };

/** Table of skipped rows and warnings: row, cell value, problem and fix. */
export function IssuesTable({ label, issues }: IssuesTableProps) {
  const wide = useMedia("(width >= 40rem)");
  const [shown, setShown] = useState(PAGE_SIZE);
  const rows = issues.slice(0, shown);
  const groups = issueGroups(issues);
  return (
    <>
      {issues.length > 1 && <Counts groups={groups} />}
      {wide ? <Table label={label} rows={rows} /> : <Cards label={label} rows={rows} />}
      <ShowMore shown={shown} total={issues.length} onMore={() => setShown(shown + PAGE_SIZE)} />
    </>
  );
}

/** Table of all issues of a file. */
export function FileIssues({ label, lists }: { label: string; lists: IssueLists }) {
  return <IssuesTable label={label} issues={listIssues(lists)} />;
}

/** Number of issues of each kind. */
function Counts({ groups }: { groups: readonly IssueGroup[] }) {
  return (
    <ul aria-label="Problems by kind" className="flex flex-wrap gap-x-6 gap-y-1 px-4 py-3 text-data sm:px-5">
      {groups.map(({ key, title, issues: { length } }) => (
        <li key={key}>
          <strong className="figures font-semibold">{count(length)}</strong>{" "}
          <span className="text-ink-2">{title}</span>
        </li>
      ))}
    </ul>
  );
}

/** Returns true if another kind of issues begins with this row. */
function beginsGroup(rows: readonly Issue[], index: number): boolean {
  const [before, row] = [rows[index - 1], rows[index]];
  return before !== undefined && row !== undefined && groupKey(before) !== groupKey(row);
}

/** Stronger line above the first issue of a kind. */
const GROUP_LINE = "[&>td]:border-t-line-strong";

const CELL = "border-line border-t px-3 py-2.5 align-top";
const HEAD = "h-10 px-3 font-medium text-floor text-ink-3";

function Table({ label, rows }: { label: string; rows: readonly Issue[] }) {
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
            Problem
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((issue, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes, and a row may have several issues
          <tr key={index} className={beginsGroup(rows, index) ? GROUP_LINE : ""}>
            <td className={`${CELL} border-r border-r-rule`}>
              <Mark issue={issue} />
            </td>
            {sheets && <td className={`${CELL} break-words`}>{issue.sheet}</td>}
            <td className={`${CELL} max-w-60`}>
              <Value issue={issue} />
            </td>
            <td className={CELL}>
              <Description issue={issue} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Cards({ label, rows }: { label: string; rows: readonly Issue[] }) {
  return (
    <ul aria-label={label} className="text-data">
      {rows.map((issue, index) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: as in the table
          key={index}
          className={clsx(
            "flex border-t first:border-t-0",
            beginsGroup(rows, index) ? "border-line-strong" : "border-line",
          )}
        >
          <div className="w-20 shrink-0 border-rule border-r px-2.5 py-3">
            <Mark issue={issue} />
          </div>
          <div className="min-w-0 flex-1 space-y-1.5 px-3 py-3">
            <Value issue={issue} />
            <Description issue={issue} />
            {issue.sheet && <p className="text-floor text-ink-3">Sheet {issue.sheet}</p>}
          </div>
        </li>
      ))}
    </ul>
  );
}

function Mark({ issue: { kind, row } }: { issue: Issue }) {
  const { word, Icon, ink } = KINDS[kind];
  return (
    <span className="flex items-center justify-between gap-2">
      <Icon size={17} strokeWidth={2.25} className={clsx("shrink-0", ink)} aria-hidden />
      <span className="sr-only">{word}, row </span>
      <span className="figures">{row === null ? "–" : row}</span>
    </span>
  );
}

function Value({ issue }: { issue: Issue }) {
  const { kind, value } = issue;
  // An issue of a whole row has no value.
  if (!value) return <span className="text-ink-3">{cellName(issue) ? "Empty" : "–"}</span>;
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

function Description({ issue }: { issue: Issue }) {
  const fix = fixFor(issue);
  const place = issue.row === null ? "" : cellName(issue) || "Whole row";
  return (
    <>
      <p className="break-words">
        {place && <strong className="mr-1.5 font-semibold">{place}</strong>}
        {issue.message}
      </p>
      {fix && <p className="text-ink-2">{fix}</p>}
    </>
  );
}
