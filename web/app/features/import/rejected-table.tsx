import { cellName, type Rejected } from "#features/import/rejected-csv.ts";

const CELL = "border-line border-t px-3 py-2.5 align-top";
const HEAD = "px-3 py-2.5 font-medium text-floor text-ink-3";

/** The rows that were left out, each with its cell, what it holds and the reason. */
export function RejectedTable({ rows }: { rows: readonly Rejected[] }) {
  const sheets = new Set(rows.map(({ sheet }) => sheet)).size > 1;
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reached by keys
      tabIndex={0}
      aria-label="Rows that were left out"
      className="max-h-96 overflow-auto rounded-b-panel border-line border-t"
    >
      <table className="w-full min-w-[32rem] border-separate border-spacing-0 text-left text-data">
        <thead>
          <tr>
            <th scope="col" className={`${HEAD} w-26 border-rule border-r pl-5`}>
              Row
            </th>
            {sheets && (
              <th scope="col" className={HEAD}>
                Sheet
              </th>
            )}
            <th scope="col" className={HEAD}>
              Cell
            </th>
            <th scope="col" className={HEAD}>
              Value
            </th>
            <th scope="col" className={HEAD}>
              What is wrong
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a list that never changes; a row may be at fault twice
            <tr key={index}>
              <td className={`${CELL} figures border-r border-r-rule pl-5`}>{row.row}</td>
              {sheets && <td className={CELL}>{row.sheet}</td>}
              <td className={`${CELL} font-semibold`}>{cellName(row) || "Whole row"}</td>
              <td className={`${CELL} max-w-60 break-words text-loss`}>{row.value}</td>
              <td className={CELL}>{row.message}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
