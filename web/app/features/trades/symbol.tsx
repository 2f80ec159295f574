import { type Contract, contractHead, contractTail } from "#lib/contract.ts";

/** As much of the end as holds a strike and its kind: 25000CE. */
const TAIL = 7;
const SHORT = 12;

export type SymbolNameProps = {
  symbol: string;
  contract?: Contract | undefined;
  /** Without the year of a contract. */
  brief?: boolean | undefined;
};

/** Where there is no room the middle gives way: of a contract the strike matters most. */
export function SymbolName({ symbol, contract, brief = false }: SymbolNameProps) {
  if (contract) {
    return (
      <Parts title={symbol} head={`${contractHead(contract, brief)}\u00a0`} tail={contractTail(contract)} />
    );
  }
  if (symbol.length <= SHORT) return <span className="block truncate">{symbol}</span>;
  return <Parts title={symbol} head={symbol.slice(0, -TAIL)} tail={symbol.slice(-TAIL)} />;
}

function Parts({ title, head, tail }: { title: string; head: string; tail: string }) {
  return (
    <span className="flex min-w-0" title={title}>
      <span className="truncate">{head}</span>
      <span className="shrink-0">{tail}</span>
    </span>
  );
}
