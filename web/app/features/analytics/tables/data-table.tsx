import clsx from "clsx";
import { Fragment, type ReactNode } from "react";

export type Column<Row> = {
  label: string;
  /** Aligns the cells right, for numbers. */
  figures?: boolean;
  /** Moves the values on narrow screens from a column of their own below the row. */
  secondary?: boolean;
  cell: (row: Row) => ReactNode;
};

export type DataTableProps<Row> = {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** Cells of the total row, which is underlined twice. */
  total?: readonly ReactNode[] | undefined;
  className?: string;
};

const CELL = "h-10 whitespace-nowrap px-2 py-1.5 sm:not-print:px-3 last:pr-4 sm:last:pr-6";
// The first column wraps on a narrow screen, so that the first number fits without scrolling.
const FIRST = "min-w-28 whitespace-normal! border-r border-r-rule pl-4 sm:pl-6";

/** Cell of a column that narrow screens show below the row; a printed page has all columns. */
const WIDE_CELL = "not-print:@max-3xl:hidden";

/** Scrollable table with a sticky header, a ruled first column and an optional total row. */
export function DataTable<Row>({ caption, columns, rows, rowKey, total, className }: DataTableProps<Row>) {
  const align = (index: number) =>
    clsx(
      CELL,
      index === 0 && FIRST,
      columns[index]?.figures && "figures text-right",
      columns[index]?.secondary && WIDE_CELL,
    );
  const secondary = columns.filter((column) => column.secondary);
  const line = (index: number) =>
    index < rows.length - 1 &&
    (secondary.length > 0 ? "border-line @3xl:border-b print:border-b" : "border-line border-b");
  return (
    <section
      aria-label={caption}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
      tabIndex={0}
      className={clsx(
        "@container relative overflow-auto border-line border-t -outline-offset-2 print:max-h-none print:overflow-visible",
        className ?? "max-h-110",
      )}
    >
      <table className="w-full text-data">
        <thead>
          <tr>
            {columns.map(({ label, figures, secondary: isSecondary }, index) => (
              <th
                key={label}
                scope="col"
                className={clsx(
                  "sticky top-0 z-1 h-10 whitespace-nowrap border-line border-b bg-surface px-2 font-medium sm:not-print:px-3 text-floor text-ink-3 last:pr-4 sm:last:pr-6",
                  index === 0 && FIRST,
                  figures ? "text-right" : "text-left",
                  isSecondary && WIDE_CELL,
                )}
              >
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, rowIndex) => (
            <Fragment key={rowKey(row)}>
              <tr className={clsx(line(rowIndex))}>
                {columns.map(({ label, cell }, index) =>
                  index === 0 ? (
                    <th key={label} scope="row" className={clsx(align(index), "text-left font-normal")}>
                      {cell(row)}
                    </th>
                  ) : (
                    <td key={label} className={align(index)}>
                      {cell(row)}
                    </td>
                  ),
                )}
              </tr>
              {secondary.length > 0 && (
                <tr className="border-line not-last:border-b print:hidden @3xl:hidden">
                  <td colSpan={columns.length - secondary.length} className="px-4 pb-3 sm:px-6">
                    <dl className="text-floor text-ink-2">
                      {secondary.map(({ label, cell }) => (
                        <div key={label} className="flex flex-wrap justify-between gap-x-3">
                          <dt>{label}</dt>
                          <dd className="figures">{cell(row)}</dd>
                        </div>
                      ))}
                    </dl>
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
        {total && (
          <tfoot>
            <tr className="border-line-strong border-t font-semibold">
              {total.map((content, index) => (
                <td key={columns[index]?.label} className={clsx(align(index), "pb-2")}>
                  {content}
                </td>
              ))}
            </tr>
          </tfoot>
        )}
      </table>
    </section>
  );
}
