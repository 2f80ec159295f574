import { FRESH } from "#features/analytics/analytics-api.ts";
import { Panel } from "#features/analytics/charts/panel.tsx";
import { SIDES } from "#features/analytics/filters/groupings.ts";
import { type Column, DataTable } from "#features/analytics/tables/data-table.tsx";
import { useViewer } from "#features/analytics/viewer.ts";
import type { Schemas } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { brokerAccountName } from "#lib/books.ts";
import { expiryLabel, tradeName } from "#lib/contract.ts";
import { count, date, inrPaise, inrPrice, plural } from "#lib/format.ts";
import { useToday } from "#lib/use-today.ts";
import { LoadFailure } from "#ui/load-failure.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

type OpenPosition = Schemas["OpenPosition"];

/** Open positions with quantity, average price, days held and expiry, independent of the filters. */
export function OpenPositionsPanel() {
  const viewer = useViewer();
  const today = useToday();
  const query = $api.useQuery("get", "/analytics/open-positions", { ...viewer.requestInit }, FRESH);
  const { data } = query;
  if (data?.openTotal === 0) return null;
  return (
    <Panel
      title={data ? plural(data.openTotal, "open position") : "Open positions"}
      text="All accounts; the filters do not apply. Without a price nothing is valued."
    >
      {data ? (
        <DataTable
          caption="Open positions"
          columns={columns(data.open, today ?? "")}
          rows={data.open}
          rowKey={({ symbol, broker, brokerAccount, side, fraction }) =>
            `${symbol} ${broker} ${brokerAccount} ${side} ${fraction}`
          }
        />
      ) : (
        <div className="px-4 pb-6 sm:px-6">
          {query.isError ? (
            <LoadFailure error={query.error} busy={query.isFetching} onRetry={() => void query.refetch()} />
          ) : (
            <TableSkeleton label="Loading open positions" columns={4} />
          )}
        </div>
      )}
    </Panel>
  );
}

function columns(positions: readonly OpenPosition[], today: string): Column<OpenPosition>[] {
  // A short position is opened by a sell, so its value is not a buy value.
  const long = positions.every(({ side }) => side === "long");
  return [
    {
      label: "Open position",
      cell: (position) => <span className="font-semibold">{tradeName(position)}</span>,
    },
    { label: "Side", cell: ({ side }) => SIDES.find(({ value }) => value === side)?.label },
    { label: "Quantity", figures: true, cell: ({ quantity }) => count(quantity) },
    {
      label: long ? "Average cost" : "Average price",
      figures: true,
      cell: ({ quantity, value }) => inrPrice(value / quantity),
    },
    {
      label: long ? "Buy value" : "Entry value",
      figures: true,
      cell: ({ value }) => inrPaise(value),
    },
    { label: "Since", figures: true, cell: ({ openedOn }) => date(openedOn) },
    { label: "Days held", figures: true, cell: ({ openedOn }) => count(daysBetween(openedOn, today)) },
    { label: "Expiry", figures: true, cell: ({ expiry }) => (expiry ? expiryLabel(expiry) : "–") },
    { label: "Account", cell: brokerAccountName },
  ];
}

/** Returns the number of days from one day to another. */
function daysBetween(from: string, to: string): number {
  if (to === "") return 0;
  return Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000));
}
