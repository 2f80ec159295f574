import clsx from "clsx";
import type { ReactNode } from "react";

export type Column<Row> = {
  label: string;
  /** Aligns the cells right, for numbers. */
  figures?: boolean;
  className?: string | undefined;
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
  /** Renders a table row below a row, with a key. */
  below?: (row: Row) => ReactNode;
};

const CELL = "h-10 whitespace-nowrap px-3 py-1.5 last:pr-4 sm:last:pr-6";
// The first column wraps on a narrow screen, so that the first number fits without scrolling.
const FIRST = "min-w-28 whitespace-normal! border-r border-r-rule pl-4 sm:pl-6";

/** Scrollable table with a sticky header, a ruled first column and an optional total row. */
export function DataTable<Row>({
  caption,
  columns,
  rows,
  rowKey,
  total,
  className,
  below,
}: DataTableProps<Row>) {
  const align = (index: number) =>
    clsx(
      CELL,
      index === 0 && FIRST,
      columns[index]?.figures ? "figures text-right" : "text-left",
      columns[index]?.className,
    );
  return (
    <section
      aria-label={caption}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
      tabIndex={0}
      className={clsx(
        "relative overflow-auto border-line border-t -outline-offset-2 print:max-h-none print:overflow-visible",
        className ?? "max-h-110",
      )}
    >
      <table className="w-full text-data">
        <thead>
          <tr>
            {columns.map(({ label }, index) => (
              <th
                key={label}
                scope="col"
                className={clsx(
                  "sticky top-0 z-1 border-line border-b bg-surface font-medium text-floor text-ink-3",
                  align(index),
                )}
              >
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.flatMap((row) => [
            <tr key={rowKey(row)} className="border-line not-last:border-b">
              {columns.map(({ label, cell }, index) =>
                index === 0 ? (
                  <th key={label} scope="row" className={clsx(align(index), "font-normal")}>
                    {cell(row)}
                  </th>
                ) : (
                  <td key={label} className={align(index)}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>,
            below?.(row),
          ])}
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
