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
import type { OptionalColumn } from "#features/trades/log-columns.ts";
import { tradeText } from "#features/trades/log-text.ts";
import { type LogView, toggleSort } from "#features/trades/log-view.ts";
import { useExcerpts } from "#features/trades/search-match.ts";
import { TableHead } from "#features/trades/table-head.tsx";
import type { Trade } from "#features/trades/trade-pages.ts";
import { TradeRow } from "#features/trades/trade-row.tsx";
import type { TradeList } from "#features/trades/use-trade-log.ts";
import { useTradeResults } from "#features/trades/use-trade-results.ts";
import { OVERSCAN, PRELOADED_ROWS, useRem } from "#features/trades/virtual-rows.ts";
import { count } from "#lib/format.ts";
import { useShortcuts } from "#lib/use-shortcuts.ts";

export type ListProps = {
  list: TradeList;
  view: LogView;
  onChange: (view: LogView) => void;
  onOpen: (trade: Trade) => void;
};

const NO_TRADES: readonly Trade[] = [];
/** Height of a row with a second line for the text that the search found, in rows with one line. */
const TALL_ROW = 1.625;

export type TradeTableProps = ListProps & { hidden: ReadonlySet<OptionalColumn>; foot?: ReactNode };

/**
 * Virtual table of the log: only the rows near the visible ones are in the DOM. `j` and `k` select a row, and so do the
 * arrow keys while the table has the focus; Enter opens the selected row.
 */
export function TradeTable({ list, view, onChange, onOpen, hidden, foot }: TradeTableProps) {
  const { trades, rows, loadUpTo } = list;
  const box = useRef<HTMLElement>(null);
  const hint = useId();
  const excerpts = useExcerpts(trades, view.q);
  // All rows have the same height.
  const tall = excerpts.some(Boolean);
  const head = 2 * useRem();
  const row = tall ? TALL_ROW * head : head;
  const [mark, setMark] = useState<{ view: LogView; row: number }>();
  const virtual = useVirtualizer<HTMLElement, HTMLTableRowElement>({
    count: rows,
    getScrollElement: () => box.current,
    estimateSize: () => row,
    overscan: OVERSCAN,
    // The sticky header covers the rows that scroll under it.
    scrollMargin: head,
    scrollPaddingStart: head,
    useFlushSync: false,
  });
  const items = virtual.getVirtualItems();
  const first = items[0];
  const last = items.at(-1);
  const lastRow = last?.index ?? 0;
  const results = useTradeResults(hidden.has("result") ? NO_TRADES : trades, first?.index ?? 0, lastRow);
  const marked = mark?.view === view && mark.row < rows ? mark.row : undefined;
  const markedTrade = marked === undefined ? undefined : trades[marked];

  // biome-ignore lint/correctness/useExhaustiveDependencies: the sizes depend on the row height
  useEffect(() => {
    virtual.measure();
  }, [virtual, row]);
  useEffect(() => loadUpTo(lastRow + PRELOADED_ROWS), [loadUpTo, lastRow]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another view starts at the top
  useEffect(() => {
    // Not returned, because newer browsers return a promise, which is not a cleanup function.
    box.current?.scrollTo({ top: 0 });
  }, [view]);

  function move(step: number) {
    const at = Math.min(Math.max((marked ?? -1) + step, 0), rows - 1);
    setMark({ view, row: at });
    box.current?.focus({ preventScroll: true });
    virtual.scrollToIndex(at);
  }

  function handleKey(event: KeyboardEvent) {
    if (event.target !== event.currentTarget) return;
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key === "Enter" && markedTrade) onOpen(markedTrade);
    else return;
    event.preventDefault();
  }

  /** Opens the clicked row, unless the click ends a text selection or opens another tab. */
  function handleClick(event: MouseEvent) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || getSelection()?.isCollapsed === false) return;
    const line = event.target instanceof Element ? event.target.closest("tr[aria-rowindex]") : null;
    const pressed = Number(line?.getAttribute("aria-rowindex")) - 2;
    const trade = trades[pressed];
    if (!trade) return;
    event.preventDefault();
    setMark({ view, row: pressed });
    // The dialog returns the focus to the table, because the row may no longer exist.
    box.current?.focus({ preventScroll: true });
    onOpen(trade);
  }
  useShortcuts({ j: () => move(1), k: () => move(-1) });

  return (
    <>
      <section
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
        tabIndex={0}
        aria-label="Trades"
        aria-describedby={hint}
        onKeyDown={handleKey}
        onClick={handleClick}
        className="relative max-h-[min(100rem,max(20rem,100dvh-13.75rem))] overflow-auto overscroll-contain rounded-panel border border-line bg-surface"
      >
        <table
          aria-label="Trades"
          aria-rowcount={rows + 1}
          className="w-full min-w-[53rem] table-fixed border-separate border-spacing-0 text-data"
        >
          <TableHead
            hidden={hidden}
            sort={view.sort}
            onSort={(key) => onChange({ ...view, sort: toggleSort(view.sort, key) })}
          />
          <tbody>
            <Gap height={first ? first.start - head : 0} />
            {items.map((item) => (
              <TradeRow
                key={item.key}
                row={item.index}
                trade={trades[item.index]}
                marked={item.index === marked}
                tall={tall}
                hidden={hidden}
                result={results.get(trades[item.index]?._id ?? "")}
                excerpt={excerpts[item.index]}
              />
            ))}
            <Gap height={last ? virtual.getTotalSize() + head - last.end : 0} />
          </tbody>
        </table>
      </section>
      <TableFoot
        from={Math.min(Math.floor(((virtual.scrollOffset ?? 0) + 1) / row) + 1, rows)}
        height={Math.max(Math.round(((virtual.scrollRect?.height ?? 0) - head) / row), 1)}
        list={list}
      >
        {foot}
      </TableFoot>
      <p id={hint} className="sr-only">
        Use the arrow keys to select a row and Enter to open it.
      </p>
      <p role="status" className="sr-only">
        {marked !== undefined && markedTrade && `Row ${count(marked + 1)}: ${tradeText(markedTrade)}`}
      </p>
    </>
  );
}

/** Empty row as high as the rows that are not rendered. React sets the height by script, which the CSP allows. */
function Gap({ height }: { height: number }) {
  if (height <= 0) return null;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: neither the row nor the cell is focusable
    <tr aria-hidden="true">
      <td colSpan={7} style={{ height }} className="p-0" />
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
