import type { Example } from "#content/journals/journal-content.ts";
import { calculateOutcome } from "#features/journal/outcome.ts";
import { WinLoss } from "#features/journal/win-loss.tsx";
import { inrPaise, inrPrice, units } from "#lib/format.ts";
import { Result } from "#ui/money.tsx";

const CELL = "figures border-line border-t py-2.5 text-right";

export function WorkedExample({ example }: { example: Example }) {
  const { quantity, buyPrice, sellPrice, story, after } = example;
  const outcome = calculateOutcome({
    quantity: String(quantity),
    buyPrice: String(buyPrice),
    sellPrice: String(sellPrice),
  });
  return (
    <>
      <p className="max-w-[66ch]">{story}</p>
      {outcome && (
        <table className="mt-5 w-full max-w-lg text-data">
          <caption className="sr-only">Result of the example</caption>
          <tbody>
            <Line label="Sold" quantity={quantity} price={sellPrice} />
            <Line label="Bought" quantity={quantity} price={buyPrice} minus />
            <tr>
              <th scope="row" className="border-line-strong border-t-2 py-2.5 text-left font-semibold">
                P&L
              </th>
              <td className={`${CELL} border-t-2 border-t-line-strong px-3`}>
                <WinLoss status={outcome.status} />
              </td>
              <td className={`${CELL} border-t-2 border-t-line-strong`}>
                <span className={`double-rule pb-0.5 ${outcome.pnl > 0 ? "text-gain" : "text-loss"}`}>
                  <Result value={outcome.pnl} />
                </span>
              </td>
            </tr>
          </tbody>
        </table>
      )}
      <p className="mt-5 max-w-[66ch] text-ink-2">{after}</p>
    </>
  );
}

type LineProps = { label: string; quantity: number; price: number; minus?: boolean };

function Line({ label, quantity, price, minus = false }: LineProps) {
  return (
    <tr>
      <th scope="row" className="border-line border-t py-2.5 text-left font-normal">
        {label}
      </th>
      <td className={`${CELL} px-3 text-ink-2`}>
        <span className="whitespace-nowrap">{units(quantity)} ×</span> {inrPrice(price)}
      </td>
      <td className={CELL}>{inrPaise((minus ? -1 : 1) * quantity * price)}</td>
    </tr>
  );
}
