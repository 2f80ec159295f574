import clsx from "clsx";
import { type Column, DataTable, type DataTableProps } from "#features/analytics/tables/data-table.tsx";

export type StackedColumn<Row> = Column<Row> & {
  /** Moves the values on narrow screens from a column of their own below the row. */
  secondary?: boolean;
};

/** Narrower than in other tables, so that amounts of crores fit. */
const CELL = "not-first:not-last:px-2! sm:not-print:not-first:not-last:px-3!";
/** Cell of a column that narrow screens show below the row; a printed page has all columns. */
const WIDE_CELL = "not-print:@max-3xl:hidden";

/** Table that needs no sideways scrolling on a narrow screen, because secondary values are below each row. */
export function StackedTable<Row>({
  columns,
  ...table
}: Omit<DataTableProps<Row>, "columns" | "below"> & { columns: readonly StackedColumn<Row>[] }) {
  const secondary = columns.filter((column) => column.secondary);
  return (
    <DataTable
      // No line between a row and its values, nor after the last row.
      className="@container sm:max-h-110 [&_tbody>tr:nth-last-child(2)]:border-b-0"
      {...table}
      columns={columns.map((column) => ({ ...column, className: clsx(CELL, column.secondary && WIDE_CELL) }))}
      below={(row) => (
        <tr
          key={`${table.rowKey(row)} values`}
          className="border-line not-last:border-b [border-top-style:hidden] print:hidden @3xl:hidden"
        >
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
    />
  );
}
