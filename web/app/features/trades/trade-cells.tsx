import clsx from "clsx";
import { NotebookPen } from "lucide-react";
import type { Trade } from "#features/trades/trade-pages.ts";
import { type Contract, strikeWithType, underlyingWithExpiry } from "#lib/contract.ts";
import { inrPaise } from "#lib/format.ts";

// Parts of a trade that the table row and the card share.

export type TradeLinkProps = { trade: Trade; className: string; tabIndex?: -1; brief?: boolean };

/**
 * Symbol of a trade as a link, with an icon if the trade has notes. The list handles the click; the address is for
 * opening a tab and for screen readers. A plain `a`, because a router link is slower and the log has thousands of rows.
 */
export function TradeLink({ trade, className, tabIndex, brief = false }: TradeLinkProps) {
  return (
    <a href={`/dashboard?panel=1&trade=${trade._id}`} tabIndex={tabIndex} className={className}>
      <span className="min-w-0">
        <SymbolName symbol={trade.symbol} contract={trade.contract} brief={brief} />
      </span>
      {(trade.notes || trade.psychology || trade.marketOutlook) && (
        <>
          <NotebookPen size={14} className="shrink-0 text-ink-3" aria-hidden />
          <span className="sr-only">, has notes</span>
        </>
      )}
    </a>
  );
}

/** Length of the end of a symbol that is always shown; it holds a strike and an option type, such as 25000CE. */
const SYMBOL_END_LENGTH = 7;
/** Symbols up to this length are not divided. */
const MAX_UNDIVIDED_LENGTH = 12;

type SymbolNameProps = {
  symbol: string;
  contract: Contract | undefined;
  /** Omits the year of a contract. */
  brief: boolean;
};

/** Symbol or contract that is truncated in the middle, because the strike of a contract matters most. */
function SymbolName({ symbol, contract, brief }: SymbolNameProps) {
  if (contract) {
    return (
      <MiddleTruncated
        title={symbol}
        head={`${underlyingWithExpiry(contract, brief)}\u00a0`}
        tail={strikeWithType(contract)}
      />
    );
  }
  if (symbol.length <= MAX_UNDIVIDED_LENGTH) return <span className="block truncate">{symbol}</span>;
  return (
    <MiddleTruncated
      title={symbol}
      head={symbol.slice(0, -SYMBOL_END_LENGTH)}
      tail={symbol.slice(-SYMBOL_END_LENGTH)}
    />
  );
}

function MiddleTruncated({ title, head, tail }: { title: string; head: string; tail: string }) {
  return (
    <span className="flex min-w-0" title={title}>
      <span className="truncate">{head}</span>
      <span className="shrink-0">{tail}</span>
    </span>
  );
}

/** Price with two decimals, so that decimal points align in a column; the ₹ is paler than the number. */
export function Price({ value }: { value: number }) {
  return (
    <span className="figures whitespace-nowrap">
      <span className="text-ink-3">₹</span>
      {inrPaise(value).replace("₹", "")}
    </span>
  );
}

/** Part of the notes that the search found, on one line. */
export function Excerpt({ text, className }: { text: string; className: string }) {
  return (
    <span title={text} className={clsx("block truncate font-normal text-ink-2", className)}>
      {text}
    </span>
  );
}
