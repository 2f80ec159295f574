import { useState } from "react";
import { FRESH } from "#features/analytics/analytics-api.ts";
import { CORPORATE_ACTIONS_ID } from "#features/analytics/analytics-paths.ts";
import { Panel } from "#features/analytics/charts/panel.tsx";
import { CorporateActionDialog } from "#features/analytics/corporate-actions/corporate-action-dialog.tsx";
import { CorporateActionList } from "#features/analytics/corporate-actions/corporate-action-list.tsx";
import type { CorporateActionDraft } from "#features/analytics/corporate-actions/corporate-action-schema.ts";
import { groupBySaleDay, type SaleDay } from "#features/analytics/corporate-actions/missing-sales.ts";
import { WorthlessOptions } from "#features/analytics/corporate-actions/worthless-options.tsx";
import { SIDES } from "#features/analytics/filters/groupings.ts";
import { type Column, DataTable } from "#features/analytics/tables/data-table.tsx";
import { useScrollToSection } from "#features/analytics/tables/use-scroll-to-section.ts";
import { useViewer } from "#features/analytics/viewer.ts";
import type { Schemas } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { brokerAccountName } from "#lib/books.ts";
import { expiryLabel, isDay, tradeName } from "#lib/contract.ts";
import { count, date, inrPaise, plural, units } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";
import { LoadFailure } from "#ui/load-failure.tsx";
import { TableSkeleton } from "#ui/skeleton.tsx";

type OpenPositions = Schemas["OpenPositions"];
type OpenPosition = Schemas["OpenPosition"];

/**
 * Sells without a buy price, contracts that expired while open, and open positions, with forms for what the trades do
 * not contain: corporate actions, settlements and opening holdings. Missing values are listed, never guessed.
 */
export function CorporateActionsPanel() {
  const viewer = useViewer();
  const [draft, setDraft] = useState<CorporateActionDraft>();
  const query = $api.useQuery("get", "/analytics/open-positions", { ...viewer.requestInit }, FRESH);
  const panel = useScrollToSection(CORPORATE_ACTIONS_ID, query.data !== undefined);
  return (
    <div ref={panel} className="scroll-mt-36">
      <Panel
        id={CORPORATE_ACTIONS_ID}
        title={query.data ? panelTitle(query.data) : "Corporate actions and opening holdings"}
        text="Sells without a buy price are not included in any figure until you enter the buy price. Contracts that expired while open are not included either, until you enter the settlement price."
        tools={
          viewer.isOwner && (
            <Button variant="secondary" size="sm" onClick={() => setDraft({})} className="px-3! text-data!">
              Enter a corporate action or settlement
            </Button>
          )
        }
      >
        {query.data ? (
          <Lists data={query.data} onEnter={viewer.isOwner ? setDraft : undefined} />
        ) : (
          <div className="px-4 pb-6 sm:px-6">
            {query.isError ? (
              <LoadFailure error={query.error} busy={query.isFetching} onRetry={() => void query.refetch()} />
            ) : (
              <TableSkeleton label="Loading open positions" columns={4} />
            )}
          </div>
        )}
        <CorporateActionList />
        {draft && <CorporateActionDialog draft={draft} onClose={() => setDraft(undefined)} />}
      </Panel>
    </div>
  );
}

function panelTitle({ missingCostBasisTotal, expiredTotal }: OpenPositions): string {
  const parts = [
    missingCostBasisTotal > 0 &&
      plural(missingCostBasisTotal, "sell has no buy price", "sells have no buy price"),
    expiredTotal > 0 && plural(expiredTotal, "contract expired while open", "contracts expired while open"),
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(", ") : "All sells have a buy price";
}

/** Opens the form with a draft; undefined for a guest. */
type Enter = ((draft: CorporateActionDraft) => void) | undefined;

function Lists({ data, onEnter }: { data: OpenPositions; onEnter: Enter }) {
  const fractions = data.open.filter(({ fraction }) => fraction);
  return (
    <>
      {data.missingCostBasis.length > 0 && (
        <DataTable
          caption="Sells without a buy price"
          columns={sellColumns(onEnter)}
          rows={groupBySaleDay(data.missingCostBasis)}
          rowKey={({ symbol, broker, date: sellDate }) => `${symbol} ${broker} ${sellDate}`}
        />
      )}
      {onEnter && <WorthlessOptions hasOptions={data.expired.some(isOption)} />}
      {data.expired.length > 0 && (
        <DataTable
          caption="Contracts that expired while open"
          columns={positionColumns("Expired while open", data.expired, onEnter)}
          rows={data.expired}
          rowKey={positionKey}
        />
      )}
      {fractions.length > 0 && (
        <DataTable
          caption="Fractions of shares without a payment"
          columns={fractionColumns(onEnter)}
          rows={fractions}
          rowKey={positionKey}
        />
      )}
      {data.open.length > 0 && (
        <details className="border-line border-t">
          <summary className="flex min-h-11 cursor-pointer items-center px-4 font-semibold text-ui -outline-offset-2 sm:px-6">
            {plural(data.openTotal, "open position")}
          </summary>
          <DataTable
            caption="Open positions"
            columns={positionColumns("Open position", data.open, undefined)}
            rows={data.open}
            rowKey={positionKey}
          />
        </details>
      )}
    </>
  );
}

function isOption({ instrument }: OpenPosition): boolean {
  return instrument === "CE" || instrument === "PE";
}

function positionKey({ symbol, broker, openedOn, side, fraction }: OpenPosition): string {
  return `${symbol} ${broker} ${openedOn} ${side} ${fraction}`;
}

function sellColumns(onEnter: Enter): Column<SaleDay>[] {
  const columns: Column<SaleDay>[] = [
    {
      label: "Sold without buy price",
      cell: ({ symbol }) => <span className="font-semibold">{symbol}</span>,
    },
    { label: "Sell date", figures: true, cell: (sell) => date(sell.date) },
    { label: "Sells", figures: true, cell: ({ sells }) => count(sells) },
    { label: "Quantity", figures: true, cell: ({ quantity }) => count(quantity) },
    { label: "Sale value", figures: true, cell: ({ value }) => inrPaise(value) },
    { label: "Broker", cell: brokerAccountName },
  ];
  if (!onEnter) return columns;
  // The buy date stays empty: it decides whether a gain is short-term or long-term.
  const enter = ({ symbol, broker, quantity, date: soldOn }: SaleDay) =>
    onEnter({ kind: "opening", symbol, broker, quantity, soldOn });
  return [
    ...columns,
    {
      label: "Fix",
      cell: (sell) => <EnterButton label="Enter buy price" name={sell.symbol} onPress={() => enter(sell)} />,
    },
  ];
}

function fractionColumns(onEnter: Enter): Column<OpenPosition>[] {
  const columns: Column<OpenPosition>[] = [
    {
      label: "Fraction without payment",
      cell: (position) => <span className="font-semibold">{tradeName(position)}</span>,
    },
    { label: "Shares", figures: true, cell: ({ quantity }) => units(quantity) },
    { label: "Buy value", figures: true, cell: ({ value }) => inrPaise(value) },
    { label: "Broker", cell: brokerAccountName },
  ];
  if (!onEnter) return columns;
  return [
    ...columns,
    {
      label: "Fix",
      cell: ({ symbol, broker }) => (
        <EnterButton
          label="Enter the payment"
          name={symbol}
          onPress={() => onEnter({ kind: "fractionPayment", symbol, broker })}
        />
      ),
    },
  ];
}

function positionColumns(
  label: string,
  positions: readonly OpenPosition[],
  onEnter: Enter,
): Column<OpenPosition>[] {
  // A short position is opened by a sell, so its value is not a buy value.
  const valueLabel = positions.every(({ side }) => side === "long") ? "Buy value" : "Entry value";
  const columns: Column<OpenPosition>[] = [
    { label, cell: (position) => <span className="font-semibold">{tradeName(position)}</span> },
    { label: "Side", cell: ({ side }) => SIDES.find(({ value }) => value === side)?.label },
    { label: "Quantity", figures: true, cell: ({ quantity }) => count(quantity) },
    { label: valueLabel, figures: true, cell: ({ value }) => inrPaise(value) },
    { label: "Since", figures: true, cell: ({ openedOn }) => date(openedOn) },
    { label: "Expiry", figures: true, cell: ({ expiry }) => (expiry ? expiryLabel(expiry) : "–") },
    { label: "Broker", cell: brokerAccountName },
  ];
  if (!onEnter) return columns;
  // If only the month of expiry is known, the date stays empty: the closed trade would be dated by a guess.
  const enter = ({ symbol, expiry }: OpenPosition) =>
    onEnter({ kind: "settlement", symbol, ...(expiry && isDay(expiry) && { date: expiry }) });
  return [
    ...columns,
    {
      label: "Fix",
      cell: (position) => (
        <EnterButton
          label="Enter settlement price"
          name={tradeName(position)}
          onPress={() => enter(position)}
        />
      ),
    },
  ];
}

function EnterButton({ label, name, onPress }: { label: string; name: string; onPress: () => void }) {
  return (
    <button type="button" onClick={onPress} className="link min-h-8">
      {label}
      <span className="sr-only"> of {name}</span>
    </button>
  );
}
