import { useState } from "react";
import { tabStorage } from "#lib/storage.ts";

/** Columns that the trader can hide. */
export const OPTIONAL_COLUMNS = [
  { column: "quantity", label: "Quantity" },
  { column: "price", label: "Price" },
  { column: "timestamp", label: "Timestamp" },
  { column: "broker", label: "Broker" },
  { column: "result", label: "Net P&L" },
] as const;

export type OptionalColumn = (typeof OPTIONAL_COLUMNS)[number]["column"];

const STORAGE_KEY = "logHiddenColumns";

/** Returns the hidden columns, and a function that shows or hides one. The choice lasts until the tab is closed. */
export function useHiddenColumns(): [ReadonlySet<OptionalColumn>, (column: OptionalColumn) => void] {
  const [hidden, setHidden] = useState(() => parseColumns(tabStorage.get(STORAGE_KEY) ?? ""));
  function toggle(column: OptionalColumn) {
    const next = new Set(hidden);
    if (!next.delete(column)) next.add(column);
    tabStorage.set(STORAGE_KEY, [...next].join(","));
    setHidden(next);
  }
  return [hidden, toggle];
}

/** Parses names separated by commas; ignores unknown ones. */
function parseColumns(text: string): ReadonlySet<OptionalColumn> {
  const names = text.split(",");
  return new Set(OPTIONAL_COLUMNS.map(({ column }) => column).filter((column) => names.includes(column)));
}

/** Returns true if the trader hides a column; type and symbol are always shown. */
export function isHidden(hidden: ReadonlySet<string>, column: string): boolean {
  return hidden.has(column);
}
