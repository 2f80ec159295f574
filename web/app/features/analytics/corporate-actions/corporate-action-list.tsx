import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { FRESH, refreshAnalytics } from "#features/analytics/analytics-api.ts";
import { useViewer } from "#features/analytics/viewer.ts";
import { api, type Schemas } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { brokerName } from "#lib/books.ts";
import { count, date, inrPrice } from "#lib/format.ts";
import { failureMessage, NO_ANSWER } from "#lib/problem.ts";
import { Button } from "#ui/button.tsx";

/** Number of entries listed at first; an option trader may have thousands of settlements. */
const FIRST_ENTRIES = 20;

/** List of the corporate actions, settlements and opening holdings that the trader entered, each removable. */
export function CorporateActionList() {
  const viewer = useViewer();
  const client = useQueryClient();
  const [busy, setBusy] = useState("");
  const [failure, setFailure] = useState("");
  const [shown, setShown] = useState(FIRST_ENTRIES);
  const { data } = $api.useQuery("get", "/analytics/adjustments", { ...viewer.requestInit }, FRESH);
  const entries = data?.adjustments ?? [];

  async function remove(id: string) {
    setBusy(id);
    setFailure("");
    try {
      const { error, response } = await api.DELETE("/analytics/adjustments/{id}", {
        params: { path: { id } },
      });
      if (response.ok) await refreshAnalytics(client);
      else setFailure(failureMessage(response, error));
    } catch (error) {
      console.error(error);
      setFailure(NO_ANSWER);
    }
    setBusy("");
  }

  if (entries.length === 0) return null;
  return (
    <div className="border-line border-t px-4 py-4 sm:px-6">
      <h3 className="font-sans font-semibold text-ui tracking-normal">Your entries</h3>
      <ul className="mt-1 text-data">
        {entries.slice(0, shown).map((entry) => (
          <li
            key={entry.id}
            className="flex flex-wrap items-center justify-between gap-x-4 border-line py-1 not-last:border-b"
          >
            {corporateActionText(entry)}
            {viewer.isOwner && (
              <Button
                variant="quiet"
                size="sm"
                pending={busy === entry.id}
                onClick={() => void remove(entry.id)}
                className="text-data!"
                data-print="no"
              >
                {/* A single span for screen readers; between two spans they would add a space. */}
                <span className="sr-only">{`Remove: ${corporateActionText(entry)}`}</span>
                <span aria-hidden="true">Remove</span>
              </Button>
            )}
          </li>
        ))}
      </ul>
      {entries.length > shown && (
        <Button
          variant="quiet"
          size="sm"
          onClick={() => setShown(entries.length)}
          className="text-data!"
          data-print="no"
        >
          Show all {count(entries.length)} entries
        </Button>
      )}
      {failure && (
        <p role="alert" className="mt-2 font-semibold text-data text-loss">
          {failure}
        </p>
      )}
    </div>
  );
}

/** Describes an entry in a sentence: "INFY split, 5 new shares for 1 old, on 20 Jun 2025". */
export function corporateActionText(entry: Schemas["Adjustment"]): string {
  const on = date(entry.date);
  const ratio = `${count(entry.newShares ?? 0)} new shares for ${count(entry.oldShares ?? 0)}`;
  const price = inrPrice(entry.price ?? 0);
  const other = entry.newSymbol ?? "";
  const shares = count(entry.quantity ?? 0);
  const atBroker = `at ${brokerName(entry.broker ?? "zerodha")}`;
  switch (entry.kind) {
    case "split":
      return `${entry.symbol} split, ${ratio} old, on ${on}`;
    case "bonus":
      return `${entry.symbol} bonus, ${ratio} held, on ${on}`;
    case "rename":
      return `${entry.symbol} became ${other} on ${on}`;
    case "merger":
      return `${entry.symbol} merged into ${other}, ${ratio} old, on ${on}`;
    case "demerger":
      return `${other} demerged from ${entry.symbol}, ${ratio} held, ${entry.costPercent ?? 0}% of the cost, on ${on}`;
    case "rights":
      return `${shares} ${entry.symbol} bought in a rights issue ${atBroker} on ${on}, at ${price} each`;
    case "buyback":
      return `${shares} ${entry.symbol} bought back ${atBroker} on ${on}, at ${price} each`;
    case "capitalReturn":
      return `${entry.symbol} returned capital of ${price} per share on ${on}`;
    case "fractionPayment":
      return `${price} received for a fraction of ${entry.symbol} ${atBroker} on ${on}`;
    case "contractAdjustment":
      return `${entry.symbol} adjusted by the exchange on ${on}${other && `, now ${other}`}`;
    case "settlement":
      return `${entry.symbol} settled at ${price} on ${on}`;
    case "opening":
      return `${shares} ${entry.symbol} held ${atBroker} since ${on}, bought at ${price} each`;
    case "noAction":
      return `${entry.symbol} had no corporate action around ${on}`;
  }
}
