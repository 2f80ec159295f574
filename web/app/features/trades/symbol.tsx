/** As much of the end as holds a strike and its kind: 25000CE. */
const TAIL = 7;
const SHORT = 12;

/** Where there is no room the middle gives way: of a contract the strike matters most. */
export function SymbolName({ symbol }: { symbol: string }) {
  if (symbol.length <= SHORT) return <span className="block truncate">{symbol}</span>;
  return (
    <span className="flex min-w-0" title={symbol}>
      <span className="truncate">{symbol.slice(0, -TAIL)}</span>
      <span className="shrink-0">{symbol.slice(-TAIL)}</span>
    </span>
  );
}
