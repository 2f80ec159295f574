import { SIDES } from "#features/analytics/filters/groupings.ts";
import { instrumentKey } from "#features/analytics/positions/price-file.ts";
import { type Prices, parsePrice, valuationOf } from "#features/analytics/positions/valuation.ts";
import { type StackedColumn, StackedTable } from "#features/analytics/tables/stacked-table.tsx";
import type { Schemas } from "#lib/api.ts";
import { brokerAccountName } from "#lib/books.ts";
import { expiryLabel, tradeName } from "#lib/contract.ts";
import { count, date, inrPaise, inrPrice } from "#lib/format.ts";
import { useToday } from "#lib/use-today.ts";
import { Result } from "#ui/money.tsx";
import { TextInput } from "#ui/text-input.tsx";

type OpenPosition = Schemas["OpenPosition"];

type OpenPositionsTableProps = {
  positions: readonly OpenPosition[];
  prices: Prices;
  /** Called with the key of the instrument and the typed price. */
  onPrice: (key: string, text: string) => void;
};

/** Table of open positions with a field for the price of each. */
export function OpenPositionsTable({ positions, prices, onPrice }: OpenPositionsTableProps) {
  const today = useToday() ?? "";
  // A short position is opened by a sell, so its value is not a buy value.
  const long = positions.every(({ side }) => side === "long");
  const columns: readonly StackedColumn<OpenPosition>[] = [
    {
      label: "Open position",
      cell: (position) => (
        <div className="sm:min-w-40">
          <span className="block font-semibold">{tradeName(position)}</span>
          <span className="block text-floor text-ink-2">
            {`${sideName(position)} · ${count(position.quantity)} · ${brokerAccountName(position)}`}
          </span>
        </div>
      ),
    },
    {
      label: "Price (₹)",
      figures: true,
      cell: (position) => <PriceInput position={position} prices={prices} onPrice={onPrice} />,
    },
    {
      label: "Unrealised",
      figures: true,
      secondary: true,
      cell: (position) => {
        const valuation = valuationOf(position, prices);
        return valuation ? <Result value={valuation.result} /> : "–";
      },
    },
    {
      label: "Value now",
      figures: true,
      secondary: true,
      cell: (position) => {
        const valuation = valuationOf(position, prices);
        return valuation ? inrPaise(valuation.value) : "–";
      },
    },
    {
      label: long ? "Average cost" : "Average price",
      figures: true,
      secondary: true,
      cell: ({ quantity, value }) => inrPrice(value / quantity),
    },
    {
      label: long ? "Buy value" : "Entry value",
      figures: true,
      secondary: true,
      cell: ({ value }) => inrPaise(value),
    },
    { label: "Since", figures: true, secondary: true, cell: ({ openedOn }) => date(openedOn) },
    {
      label: "Days held",
      figures: true,
      secondary: true,
      cell: ({ openedOn }) => count(daysBetween(openedOn, today)),
    },
    {
      label: "Expiry",
      figures: true,
      secondary: true,
      cell: ({ expiry }) => (expiry ? expiryLabel(expiry) : "–"),
    },
  ];
  return (
    <StackedTable
      caption="Open positions"
      columns={columns}
      rows={positions}
      rowKey={({ symbol, broker, brokerAccount, side, fraction }) =>
        `${symbol} ${broker} ${brokerAccount} ${side} ${fraction}`
      }
    />
  );
}

type PriceInputProps = Pick<OpenPositionsTableProps, "prices" | "onPrice"> & { position: OpenPosition };

function PriceInput({ position, prices, onPrice }: PriceInputProps) {
  const key = instrumentKey(position);
  const text = prices[key]?.text ?? "";
  const isWrong = text.trim() !== "" && parsePrice(text) === undefined;
  return (
    <>
      <TextInput
        aria-label={`Price of ${tradeName(position)}`}
        aria-invalid={isWrong || undefined}
        value={text}
        inputMode="decimal"
        autoComplete="off"
        maxLength={16}
        className="figures min-w-24 max-w-28 text-right sm:min-w-28"
        onChange={({ currentTarget }) => onPrice(key, currentTarget.value)}
      />
      {isWrong && (
        <span className="ml-auto block max-w-28 whitespace-normal text-floor text-loss">
          Enter rupees, such as 1450.25.
        </span>
      )}
    </>
  );
}

function sideName({ side }: OpenPosition): string {
  return SIDES.find(({ value }) => value === side)?.label ?? "";
}

/** Returns the number of days from one day to another. */
function daysBetween(from: string, to: string): number {
  if (to === "") return 0;
  return Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000));
}
