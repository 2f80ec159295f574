import clsx from "clsx";

export type TableSkeletonProps = {
  /** Text for screen readers: "Loading trades". */
  label: string;
  columns?: number;
  rows?: number;
};

const WIDTHS = ["w-12", "w-32", "w-14", "w-20", "w-36", "w-16"];

/** Placeholder of a table while its rows load. Appears after 200 ms, so that a fast response does not flash. */
export function TableSkeleton({ label, columns = 6, rows = 5 }: TableSkeletonProps) {
  return (
    <div className="animate-late">
      <p role="status" className="sr-only">
        {label}
      </p>
      <div aria-hidden="true" className="overflow-hidden rounded-panel border border-line bg-surface">
        {Array.from({ length: rows + 1 }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows are identical and never change their order
          <div key={row} className="flex h-10 items-center border-line border-b last:border-b-0">
            {Array.from({ length: columns }, (_, column) => (
              <div
                // biome-ignore lint/suspicious/noArrayIndexKey: as above
                key={column}
                className={clsx(
                  "h-full items-center",
                  column === 0 ? "flex w-26 shrink-0 border-rule border-r px-5" : "min-w-0 flex-1 px-4",
                  // A phone shows three columns, like the real rows.
                  column > 2 ? "hidden sm:flex" : "flex",
                )}
              >
                <div className={`h-2.5 max-w-full rounded-tag bg-line ${WIDTHS[column % WIDTHS.length]}`} />
              </div>
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}

/** Placeholder of one line of text or one figure. */
export function SkeletonLine({ className = "w-32" }: { className?: string }) {
  return <div aria-hidden="true" className={`h-2.5 animate-late rounded-tag bg-line ${className}`} />;
}
