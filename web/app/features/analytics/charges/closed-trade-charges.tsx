import type { ClosedTrade } from "#features/analytics/analytics-api.ts";
import { CHARGE_NAMES } from "#features/analytics/charges/charge-table.tsx";
import { useViewer } from "#features/analytics/viewer.ts";
import { $api } from "#lib/api-query.ts";
import { date, inrPaise, inrPrice, signed } from "#lib/format.ts";
import { Result } from "#ui/money.tsx";
import { SkeletonLine } from "#ui/skeleton.tsx";

/** Calculation of a closed trade from gross to net, with each charge and its rule. */
export function ClosedTradeCharges({ closedTrade }: { closedTrade: ClosedTrade }) {
  const viewer = useViewer();
  const { data, isError } = $api.useQuery("get", "/analytics/charges", {
    params: { query: { id: closedTrade.id } },
    ...viewer.requestInit,
  });
  return (
    <div>
      <h3 className="font-sans font-semibold text-floor text-ink-2 tracking-normal">Charges</h3>
      <table className="mt-1 w-full">
        <tbody>
          <Line label="Gross">{signed(closedTrade.gross)}</Line>
          {data?.lines.map(({ component, rule, from, amount }) => (
            <Line
              key={`${component} ${rule} ${from}`}
              label={CHARGE_NAMES[component]}
              note={from ? `${rule}, from ${date(from)}` : rule}
            >
              {/* All decimals, because some charges are below one paisa. */}
              {`\u2212${inrPrice(amount)}`}
            </Line>
          ))}
        </tbody>
        <tfoot>
          <tr className="double-rule border-line-strong border-t font-semibold">
            <th scope="row" className="py-1.5 text-left">
              Net
            </th>
            <td className="py-1.5 text-right">
              <Result value={closedTrade.net} />
            </td>
          </tr>
        </tfoot>
      </table>
      {!data && !isError && <SkeletonLine className="mt-2 w-40" />}
      {isError && (
        <p className="mt-2 text-ink-2">{`${inrPaise(closedTrade.charges)} in total. The details could not be loaded.`}</p>
      )}
    </div>
  );
}

function Line({ label, note, children }: { label: string; note?: string; children: string }) {
  return (
    <tr>
      <th scope="row" className="py-1 pr-4 text-left font-normal">
        {label}
        {note && <span className="block text-floor text-ink-3">{note}</span>}
      </th>
      <td className="figures whitespace-nowrap py-1 text-right align-top">{children}</td>
    </tr>
  );
}
