import { NotebookPen } from "lucide-react";
import { SymbolName } from "#features/trades/symbol.tsx";
import type { Trade } from "#features/trades/trade-pages.ts";

export type TradeLinkProps = { trade: Trade; className: string; tabIndex?: -1; brief?: boolean };

/**
 * The symbol, with a mark where something is written beside the trade. The address is for another tab, and for who
 * asks what is there; the list takes the press. A bare link: thousands pass by, and the router's costs more each.
 */
export function TradeLink({ trade, className, tabIndex, brief }: TradeLinkProps) {
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
