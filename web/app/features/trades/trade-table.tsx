import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { type LogView, toggleSort } from "#features/trades/log-view.ts";
import { tradeWords } from "#features/trades/log-words.ts";
import { LEAD, OVERSCAN, useRem } from "#features/trades/row-size.ts";
import { TableHead } from "#features/trades/table-head.tsx";
import type { Trade } from "#features/trades/trade-pages.ts";
import { TradeRow } from "#features/trades/trade-row.tsx";
import type { TradeList } from "#features/trades/use-trade-log.ts";
import { count } from "#lib/format.ts";
import { useShortcuts } from "#lib/use-shortcuts.ts";

export type ListProps = {
  list: TradeList;
  view: LogView;
  onChange: (view: LogView) => void;
  onOpen: (trade: Trade) => void;
};

/**
 * Any number of rows, of which only those near the visible ones exist. `j` and `k` move a mark along them, and so do
 * the arrows while the box has the focus; Enter opens the marked one.
 */
export function TradeTable({ list, view, onChange, onOpen, foot }: ListProps & { foot?: ReactNode }) {
  const { trades, rows, reach } = list;
  const box = useRef<HTMLElement>(null);
  const hint = useId();
  const [mark, setMark] = useState<{ view: LogView; row: number }>();
  const row = 2.5 * useRem();
  const virtual = useVirtualizer<HTMLElement, HTMLTableRowElement>({
    count: rows,
    getScrollElement: () => box.current,
    estimateSize: () => row,
    overscan: OVERSCAN,
    // The head is as high as a row, stands before them, and covers them when they pass under it.
    scrollMargin: row,
    scrollPaddingStart: row,
    useFlushSync: false,
  });
  const items = virtual.getVirtualItems();
  const first = items[0];
  const last = items.at(-1);
  const lastRow = last?.index ?? 0;
  const marked = mark?.view === view && mark.row < rows ? mark.row : undefined;
  const markedTrade = marked === undefined ? undefined : trades[marked];

  // biome-ignore lint/correctness/useExhaustiveDependencies: the sizes follow from the row's
  useEffect(() => {
    virtual.measure();
  }, [virtual, row]);
  useEffect(() => reach(lastRow + LEAD), [reach, lastRow]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another view begins at its top
  useEffect(() => {
    // Not `return`ed: newer browsers answer with a promise.
    box.current?.scrollTo({ top: 0 });
  }, [view]);

  function move(step: number) {
    const at = Math.min(Math.max((marked ?? -1) + step, 0), rows - 1);
    setMark({ view, row: at });
    box.current?.focus({ preventScroll: true });
    virtual.scrollToIndex(at);
  }

  function steer(event: KeyboardEvent) {
    if (event.target !== event.currentTarget) return;
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key === "Enter" && markedTrade) onOpen(markedTrade);
    else return;
    event.preventDefault();
  }

  /** A press anywhere in a row opens it, unless it ends a selection, or asks for another tab. */
  function press(event: MouseEvent) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || getSelection()?.isCollapsed === false) return;
    const line = event.target instanceof Element ? event.target.closest("tr[aria-rowindex]") : null;
    const pressed = Number(line?.getAttribute("aria-rowindex")) - 2;
    const trade = trades[pressed];
    if (!trade) return;
    event.preventDefault();
    setMark({ view, row: pressed });
    // Here the focus returns to: the row may be gone by then.
    box.current?.focus({ preventScroll: true });
    onOpen(trade);
  }
  useShortcuts({ j: () => move(1), k: () => move(-1) });

  return (
    <>
      <section
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reached by keys
        tabIndex={0}
        aria-label="Trades"
        aria-describedby={hint}
        onKeyDown={steer}
        onClick={press}
        className="relative max-h-[min(100rem,max(20rem,100dvh-24rem))] overflow-auto overscroll-contain rounded-panel border border-line bg-surface"
      >
        <table
          aria-label="Trades"
          aria-rowcount={rows + 1}
          className="w-full min-w-[45rem] table-fixed border-separate border-spacing-0 text-data"
        >
          <TableHead
            sort={view.sort}
            onSort={(key) => onChange({ ...view, sort: toggleSort(view.sort, key) })}
          />
          <tbody>
            <Gap height={first ? first.start - row : 0} />
            {items.map((item) => (
              <TradeRow
                key={item.key}
                row={item.index}
                trade={trades[item.index]}
                marked={item.index === marked}
              />
            ))}
            <Gap height={last ? virtual.getTotalSize() + row - last.end : 0} />
          </tbody>
        </table>
      </section>
      <TableFoot
        from={Math.min(Math.floor(((virtual.scrollOffset ?? 0) + 1) / row) + 1, rows)}
        height={Math.max(Math.round((virtual.scrollRect?.height ?? 0) / row) - 1, 1)}
        list={list}
      >
        {foot}
      </TableFoot>
      <p id={hint} className="sr-only">
        The arrow keys choose a row, Enter opens it.
      </p>
      <p role="status" className="sr-only">
        {marked !== undefined && markedTrade && `Row ${count(marked + 1)}: ${tradeWords(markedTrade)}`}
      </p>
    </>
  );
}

/** Stands for the rows above and below. The height is set through the script's own door, which the policy allows. */
function Gap({ height }: { height: number }) {
  if (height <= 0) return null;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: neither a row nor a cell takes the focus
    <tr aria-hidden="true">
      <td colSpan={6} style={{ height }} className="p-0" />
    </tr>
  );
}

type TableFootProps = { from: number; height: number; list: TradeList; children: ReactNode };

function TableFoot({ from, height, list, children }: TableFootProps) {
  const to = Math.min(from + height - 1, list.rows);
  return (
    <div className="mt-3 flex items-center justify-between gap-4">
      <p className="figures flex flex-wrap gap-x-7 text-data text-ink-3">
        <span>
          Rows {count(from)} to {count(to)} of {count(list.rows)}
        </span>
        {to > list.trades.length && (
          <span>
            Loaded so far: {count(list.trades.length)} of {count(list.rows)}
          </span>
        )}
      </p>
      {children}
    </div>
  );
}
