import clsx from "clsx";
import type { ReactNode } from "react";
import type { ComparedLine } from "#features/analytics/reconcile/reconciliation.ts";
import { useMedia } from "#lib/use-media.ts";

type Compared = {
  key: string;
  name: ReactNode;
  /** At least one. */
  lines: readonly ComparedLine[];
  /** Likely reason, shown below the figures. */
  note?: ReactNode;
};

export type ComparedTableProps = {
  caption: string;
  /** Heading of the column of names. */
  first: string;
  /** Name of the broker. */
  broker: string;
  rows: readonly Compared[];
};

/** Table of the figures of the log, those of the report and the difference; cards on a phone. */
export function ComparedTable(props: ComparedTableProps) {
  const wide = useMedia("(width >= 40rem)");
  return wide ? <Table {...props} /> : <Cards {...props} />;
}

const HEAD = "h-10 border-line border-b px-3 font-medium text-floor text-ink-3 last:pr-6";
const FIGURE = "figures whitespace-nowrap px-3 py-1 text-right align-top last:pr-6";

function Table({ caption, first, broker, rows }: ComparedTableProps) {
  const many = rows.some(({ lines }) => lines.length > 1);
  return (
    <table aria-label={caption} className="w-full border-line border-t text-data">
      <thead>
        <tr>
          <th scope="col" className={`${HEAD} w-1/4 border-r border-r-rule pl-6 text-left`}>
            {first}
          </th>
          {many && (
            <th scope="col" className={`${HEAD} text-left`}>
              Figure
            </th>
          )}
          {["Your log", broker, "Difference"].map((label) => (
            <th key={label} scope="col" className={`${HEAD} text-right`}>
              {label}
            </th>
          ))}
        </tr>
      </thead>
      {rows.map(({ key, name, lines, note }) => (
        <tbody key={key} className="border-line not-last:border-b">
          {lines.map((line, index) => (
            <tr key={line.label} className="first:*:pt-2.5 last:*:pb-2.5">
              {index === 0 && (
                <th
                  scope="rowgroup"
                  rowSpan={lines.length + (note ? 1 : 0)}
                  className="border-r border-r-rule py-2.5 pr-3 pl-6 text-left align-top font-normal"
                >
                  {name}
                </th>
              )}
              {many && (
                <th
                  scope="row"
                  className="whitespace-nowrap px-3 py-1 text-left align-top font-normal text-ink-2"
                >
                  {line.label}
                </th>
              )}
              <td className={FIGURE}>{line.log}</td>
              <td className={FIGURE}>{line.report}</td>
              <td className={clsx(FIGURE, line.same ? "text-ink-3" : "font-semibold")}>{line.difference}</td>
            </tr>
          ))}
          {note && (
            <tr>
              <td colSpan={many ? 4 : 3} className="px-3 pt-0.5 pr-6 pb-3 text-ink-2">
                {note}
              </td>
            </tr>
          )}
        </tbody>
      ))}
    </table>
  );
}

function Cards({ caption, broker, rows }: ComparedTableProps) {
  return (
    <ul aria-label={caption} className="border-line border-t text-data">
      {rows.map(({ key, name, lines, note }) => (
        <li key={key} className="border-line px-4 py-3.5 not-last:border-b">
          {name}
          {lines.map((line) => (
            <dl
              key={line.label}
              className="mt-2 grid grid-cols-[auto_1fr] gap-x-4 gap-y-0.5 border-rule border-l pl-3"
            >
              {line.label && (
                <div className="col-span-2 text-floor text-ink-3">
                  <dt className="sr-only">Figure</dt>
                  <dd>{line.label}</dd>
                </div>
              )}
              <Figure term="Your log">{line.log}</Figure>
              <Figure term={broker}>{line.report}</Figure>
              <Figure term="Difference" className={line.same ? "text-ink-3" : "font-semibold"}>
                {line.difference}
              </Figure>
            </dl>
          ))}
          {note && <div className="mt-2 text-ink-2">{note}</div>}
        </li>
      ))}
    </ul>
  );
}

function Figure({ term, className, children }: { term: string; className?: string; children: string }) {
  return (
    <div className="col-span-2 flex justify-between gap-4">
      <dt className="text-ink-2">{term}</dt>
      <dd className={clsx("figures whitespace-nowrap", className)}>{children}</dd>
    </div>
  );
}
