import { useState } from "react";
import { brokerName } from "#content/books.ts";
import { FRESH } from "#features/analytics/analytics-api.ts";
import { Panel } from "#features/analytics/charts/panel.tsx";
import { AdjustmentDialog } from "#features/analytics/entries/adjustment-dialog.tsx";
import { AdjustmentList } from "#features/analytics/entries/adjustment-list.tsx";
import type { NewAdjustment } from "#features/analytics/entries/adjustment-schema.ts";
import { COMPLETION } from "#features/analytics/entries/completion-place.ts";
import { SIDES } from "#features/analytics/filters/groupings.ts";
import { useReader } from "#features/analytics/reader.ts";
import { type Column, DataTable } from "#features/analytics/tables/data-table.tsx";
import { useArrivalAt } from "#features/analytics/tables/use-arrival-at.ts";
import type { Schemas } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { expiryWords, isDay } from "#lib/contract.ts";
import { count, date, inrPaise, plural } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";
import { LoadFailure } from "#ui/load-failure.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

type OpenPositions = Schemas["OpenPositions"];
type Sale = OpenPositions["sales"][number];
type Open = Schemas["OpenPosition"];

/** What the trades alone do not say: it is listed, never guessed. */
export function CompletionPanel() {
  const reader = useReader();
  const [draft, setDraft] = useState<Partial<NewAdjustment>>();
  const missingCostBasis = $api.useQuery("get", "/analytics/open-positions", { ...reader.init }, FRESH);
  const panel = useArrivalAt(COMPLETION, missingCostBasis.data !== undefined);
  return (
    <div ref={panel} className="scroll-mt-36">
      <Panel
        id={COMPLETION}
        title={missingCostBasis.data ? completionTitle(missingCostBasis.data) : "What to complete"}
        text="Sales without a purchase are in no figure until you say what the shares cost. Options that expired count as worthless until you enter their settlement."
        tools={
          reader.own && (
            <Button variant="secondary" size="sm" onClick={() => setDraft({})} className="px-3! text-data!">
              Enter a split, bonus or settlement
            </Button>
          )
        }
      >
        {missingCostBasis.data ? (
          <Lists data={missingCostBasis.data} onEnter={reader.own ? setDraft : undefined} />
        ) : (
          <div className="px-4 pb-6 sm:px-6">
            {missingCostBasis.isError ? (
              <LoadFailure
                error={missingCostBasis.error}
                busy={missingCostBasis.isFetching}
                onRetry={() => void missingCostBasis.refetch()}
              />
            ) : (
              <TableSkeleton label="Loading what to complete" columns={4} />
            )}
          </div>
        )}
        <AdjustmentList />
        {draft && <AdjustmentDialog draft={draft} onClose={() => setDraft(undefined)} />}
      </Panel>
    </div>
  );
}

function completionTitle({ salesTotal, expiredTotal }: OpenPositions): string {
  const parts = [
    salesTotal > 0 && plural(salesTotal, "sale without a purchase", "sales without a purchase"),
    expiredTotal > 0 && plural(expiredTotal, "contract expired open", "contracts expired open"),
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(", ") : "Every sale has its purchase";
}

type Enter = ((draft: Partial<NewAdjustment>) => void) | undefined;

function Lists({ data, onEnter }: { data: OpenPositions; onEnter: Enter }) {
  return (
    <>
      {data.sales.length > 0 && (
        <DataTable
          caption="Sales without a purchase"
          columns={saleColumns(onEnter)}
          rows={data.sales}
          rowKey={({ tradeId }) => tradeId}
        />
      )}
      {data.expired.length > 0 && (
        <DataTable
          caption="Contracts that expired while open"
          columns={openColumns("Expired open", onEnter)}
          rows={data.expired}
          rowKey={positionKey}
        />
      )}
      {data.open.length > 0 && (
        <details className="border-line border-t">
          <summary className="flex min-h-11 cursor-pointer items-center px-4 font-semibold text-ui -outline-offset-2 sm:px-6">
            {plural(data.openTotal, "position is open", "positions are open")}
          </summary>
          <DataTable
            caption="Open positions"
            columns={openColumns("Open", undefined)}
            rows={data.open}
            rowKey={positionKey}
          />
        </details>
      )}
    </>
  );
}

function positionKey({ symbol, broker, since, side }: Open): string {
  return `${symbol} ${broker} ${since} ${side}`;
}

function saleColumns(onEnter: Enter): Column<Sale>[] {
  const columns: Column<Sale>[] = [
    { label: "Sold without purchase", cell: ({ symbol }) => <span className="font-semibold">{symbol}</span> },
    { label: "Sold on", figures: true, cell: (sale) => date(sale.date) },
    { label: "Quantity", figures: true, cell: ({ quantity }) => count(quantity) },
    { label: "Brought", figures: true, cell: ({ value }) => inrPaise(value) },
    { label: "Broker", cell: ({ broker }) => brokerName(broker) },
  ];
  if (!onEnter) return columns;
  const enter = ({ symbol, broker, quantity, date: sold }: Sale) =>
    onEnter({ kind: "opening", symbol, broker, quantity, date: sold });
  return [
    ...columns,
    {
      label: "Complete",
      cell: (sale) => <EnterButton label="Enter the cost" of={sale.symbol} onPress={() => enter(sale)} />,
    },
  ];
}

function openColumns(label: string, onEnter: Enter): Column<Open>[] {
  const columns: Column<Open>[] = [
    { label, cell: ({ symbol }) => <span className="font-semibold">{symbol}</span> },
    { label: "Side", cell: ({ side }) => SIDES.find(({ value }) => value === side)?.label },
    { label: "Quantity", figures: true, cell: ({ quantity }) => count(quantity) },
    { label: "Opened for", figures: true, cell: ({ value }) => inrPaise(value) },
    { label: "Since", figures: true, cell: ({ since }) => date(since) },
    { label: "Expiry", figures: true, cell: ({ expiry }) => (expiry ? expiryWords(expiry) : "–") },
    { label: "Broker", cell: ({ broker }) => brokerName(broker) },
  ];
  if (!onEnter) return columns;
  // The day of a month alone is not guessed: it would be taken for the day of the closing.
  const enter = ({ symbol, expiry }: Open) =>
    onEnter({ kind: "settlement", symbol, ...(expiry && isDay(expiry) && { date: expiry }) });
  return [
    ...columns,
    {
      label: "Complete",
      cell: (position) => (
        <EnterButton label="Enter settlement" of={position.symbol} onPress={() => enter(position)} />
      ),
    },
  ];
}

function EnterButton({ label, of, onPress }: { label: string; of: string; onPress: () => void }) {
  return (
    <button type="button" onClick={onPress} className="link min-h-8">
      {label}
      <span className="sr-only"> of {of}</span>
    </button>
  );
}
