import { Check, Columns3 } from "lucide-react";
import { OPTIONAL_COLUMNS, type OptionalColumn } from "#features/trades/log-columns.ts";
import { Menu } from "#ui/menu.tsx";

export type ColumnMenuProps = {
  hidden: ReadonlySet<OptionalColumn>;
  onToggle: (column: OptionalColumn) => void;
};

/** Menu that shows and hides columns of the log; it stays open for several choices. */
export function ColumnMenu({ hidden, onToggle }: ColumnMenuProps) {
  return (
    <Menu
      className="h-10 px-2.5 font-semibold text-data text-ink-2 hover:text-ink"
      trigger={
        <>
          <Columns3 size={16} aria-hidden />
          Columns
        </>
      }
    >
      {OPTIONAL_COLUMNS.map(({ column, label }) => (
        <li key={column}>
          <button
            type="button"
            role="switch"
            aria-checked={!hidden.has(column)}
            onClick={() => onToggle(column)}
            className="flex h-11 w-full items-center gap-3 rounded-tag px-3 font-medium text-ui hover:bg-sunken"
          >
            <Check size={18} aria-hidden className={hidden.has(column) ? "invisible" : "text-brand"} />
            {label}
          </button>
        </li>
      ))}
    </Menu>
  );
}
