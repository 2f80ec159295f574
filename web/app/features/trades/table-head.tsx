import clsx from "clsx";
import { ArrowDown, ArrowUp } from "lucide-react";
import { isHidden, type OptionalColumn } from "#features/trades/log-columns.ts";
import { type Sort, type SortKey, sortKey } from "#features/trades/log-view.ts";

type Column = { key: SortKey; label: string; width: string; figures?: boolean };

const HEAD = "sticky top-0 z-10 h-8 border-line border-b bg-surface";

const COLUMNS: readonly Column[] = [
  { key: "type", label: "Type", width: "w-26" },
  { key: "symbol", label: "Symbol", width: "" },
  { key: "quantity", label: "Quantity", width: "w-22", figures: true },
  { key: "price", label: "Price", width: "w-28 lg:w-32", figures: true },
  { key: "timestamp", label: "Timestamp", width: "w-43 lg:w-46" },
  { key: "broker", label: "Broker", width: "w-20 lg:w-26" },
];

export type TableHeadProps = {
  sort: Sort;
  onSort: (key: SortKey) => void;
  hidden: ReadonlySet<OptionalColumn>;
};

export function TableHead({ sort, onSort, hidden }: TableHeadProps) {
  return (
    <thead>
      <tr aria-rowindex={1} className="h-8">
        {COLUMNS.filter(({ key }) => !isHidden(hidden, key)).map((column) => (
          <Head key={column.key} column={column} sort={sort} onSort={onSort} />
        ))}
        {!hidden.has("result") && (
          <th
            scope="col"
            className={clsx(HEAD, "w-34 px-2 text-right font-medium text-floor text-ink-3 lg:px-3")}
          >
            Net P&amp;L
          </th>
        )}
      </tr>
    </thead>
  );
}

type HeadProps = { column: Column; sort: Sort; onSort: (key: SortKey) => void };

function Head({ column: { key, label, width, figures }, sort, onSort }: HeadProps) {
  const active = sortKey(sort) === key;
  const down = sort.startsWith("-");
  const Arrow = down ? ArrowDown : ArrowUp;
  return (
    <th
      scope="col"
      aria-sort={active ? (down ? "descending" : "ascending") : undefined}
      className={clsx(HEAD, "p-0", key === "type" && "border-r border-r-rule", width)}
    >
      <button
        type="button"
        onClick={() => onSort(key)}
        className={clsx(
          "group flex h-full w-full items-center gap-1 px-2 text-floor lg:px-3 -outline-offset-2 hover:text-ink",
          key === "type" && "pl-5 lg:pl-5",
          figures && "flex-row-reverse",
          active ? "font-semibold text-ink" : "font-medium text-ink-3",
        )}
      >
        {label}
        <Arrow
          size={14}
          strokeWidth={2.25}
          aria-hidden
          className={
            active ? "text-brand" : "opacity-0 group-hover:opacity-60 group-focus-visible:opacity-60"
          }
        />
      </button>
    </th>
  );
}
