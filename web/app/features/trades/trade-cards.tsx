import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { cardItems, firstItems } from "#features/trades/card-items.ts";
import { sortKey } from "#features/trades/log-view.ts";
import { useExcerpts } from "#features/trades/search-match.ts";
import { TradeCard } from "#features/trades/trade-card.tsx";
import type { ListProps } from "#features/trades/trade-table.tsx";
import { useTradeResults } from "#features/trades/use-trade-results.ts";
import { OVERSCAN, PRELOADED_ROWS, useRem } from "#features/trades/virtual-rows.ts";
import { count, dayHeading, plural } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";

/** Number of cards at first, so that what is below the list can be reached. */
const FIRST_CARDS = 20;
/** Number of cards that "Show more" adds. */
const MORE_CARDS = 100;
/** Height of a card in rem. */
const CARD_HEIGHT = 4.25;
/** Additional height of a card with a text that the search found, in rem. */
const EXCERPT_HEIGHT = 1.375;
/** Height of the heading of a day in rem. */
const HEADING_HEIGHT = 2.375;

/**
 * Log on a phone: cards under the headings of their days, in a virtual list that scrolls with the page. It begins with
 * the first trades; a button adds more.
 */
export function TradeCards({ list, view, onOpen }: ListProps) {
  const { trades, rows, loadUpTo } = list;
  const byDay = sortKey(view.sort) === "timestamp";
  const [shown, setShown] = useState(FIRST_CARDS);
  const items = useMemo(() => firstItems(cardItems(list, byDay), shown), [list, byDay, shown]);
  const excerpts = useExcerpts(trades, view.q);
  const box = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(0);
  const rem = useRem();
  const virtual = useWindowVirtualizer<HTMLLIElement>({
    count: items.length,
    estimateSize: (index) => {
      const item = items[index];
      if (item?.kind === "day") return rem * HEADING_HEIGHT;
      return rem * (CARD_HEIGHT + (item && excerpts[item.row] ? EXCERPT_HEIGHT : 0));
    },
    overscan: OVERSCAN,
    scrollMargin: top,
    useFlushSync: false,
  });
  const visible = virtual.getVirtualItems();
  const lastRow = visible.reduce((row, { index }) => {
    const item = items[index];
    return item?.kind === "trade" ? item.row : row;
  }, 0);

  const firstRow = visible.reduce((row, { index }) => {
    const item = items[index];
    return item?.kind === "trade" ? Math.min(row, item.row) : row;
  }, lastRow);
  const results = useTradeResults(trades, firstRow, lastRow);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the sizes depend on the items, the excerpts and the rem
  useEffect(() => {
    virtual.measure();
  }, [virtual, items, excerpts, rem]);
  useEffect(() => loadUpTo(lastRow + PRELOADED_ROWS), [loadUpTo, lastRow]);
  // Measured after every render, because banners above the list appear and disappear.
  useLayoutEffect(() => {
    const now = Math.round((box.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
    if (now !== top) setTop(now);
  });

  return (
    <>
      <ul
        ref={box}
        aria-label="Trades"
        className="relative -mx-4 border-line border-t"
        style={{ height: virtual.getTotalSize() }}
      >
        {visible.map(({ index, key, start, size }) => {
          const item = items[index];
          const place = { height: size, transform: `translateY(${start - top}px)` };
          if (item?.kind === "day") {
            return (
              <li
                key={key}
                style={place}
                className="absolute inset-x-0 top-0 border-line border-b bg-sunken px-4"
              >
                <h2 className="figures flex h-full items-center justify-between font-sans text-data tracking-normal">
                  {dayHeading(item.timestamp)}
                  {item.trades !== undefined && (
                    <span className="font-normal text-floor text-ink-2">{plural(item.trades, "trade")}</span>
                  )}
                </h2>
              </li>
            );
          }
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the link inside handles the keyboard
            <li
              key={key}
              onClick={(event) => {
                const trade = trades[item?.row ?? 0];
                if (!trade || event.ctrlKey || event.metaKey || event.shiftKey) return;
                event.preventDefault();
                onOpen(trade);
              }}
              aria-setsize={rows}
              aria-posinset={(item?.row ?? 0) + 1}
              style={place}
              className="absolute inset-x-0 top-0 border-line border-b bg-surface px-4"
            >
              <TradeCard
                trade={trades[item?.row ?? 0]}
                result={results.get(trades[item?.row ?? 0]?._id ?? "")}
                withDate={!byDay}
                excerpt={excerpts[item?.row ?? 0]}
              />
            </li>
          );
        })}
      </ul>
      {shown < rows && (
        <div className="flex flex-wrap items-center justify-between gap-3 py-4">
          <p className="text-data text-ink-2">{`${count(shown)} of ${plural(rows, "trade")}`}</p>
          <Button variant="secondary" onClick={() => setShown(shown + MORE_CARDS)} className="max-sm:h-11">
            Show more
          </Button>
        </div>
      )}
    </>
  );
}
