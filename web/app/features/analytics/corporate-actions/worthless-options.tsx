import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { refreshAnalytics } from "#features/analytics/analytics-api.ts";
import { api } from "#lib/api.ts";
import { plural } from "#lib/format.ts";
import { failureMessage, NO_ANSWER } from "#lib/problem.ts";
import { Button } from "#ui/button.tsx";

/** Settlements that were added, with the ids of the first and the last. */
type Settled = { added: number; firstId: string; lastId: string };

/** Button that settles all expired options as worthless, and another that undoes it. */
export function WorthlessOptions({ hasOptions }: { hasOptions: boolean }) {
  const client = useQueryClient();
  const [settled, setSettled] = useState<Settled>();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState("");

  async function run(request: () => Promise<string | undefined>) {
    setBusy(true);
    setFailure("");
    try {
      setFailure((await request()) ?? "");
    } catch (error) {
      console.error(error);
      setFailure(NO_ANSWER);
    }
    setBusy(false);
  }

  const settle = () =>
    run(async () => {
      const { data, error, response } = await api.POST("/analytics/adjustments/worthless-options");
      if (!data) return failureMessage(response, error);
      const { added, firstId, lastId } = data;
      setSettled(firstId && lastId ? { added, firstId, lastId } : undefined);
      await refreshAnalytics(client);
      return undefined;
    });

  const undo = ({ firstId, lastId }: Settled) =>
    run(async () => {
      const { error, response } = await api.DELETE("/analytics/adjustments/{id}", {
        params: { path: { id: firstId }, query: { lastId } },
      });
      if (!response.ok) return failureMessage(response, error);
      setSettled(undefined);
      await refreshAnalytics(client);
      return undefined;
    });

  return (
    <div className="px-4 pb-4 text-data empty:hidden sm:px-6" data-print="no">
      {hasOptions && (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <p>
            Did an option expire in the money? Enter its settlement price first. Then settle the others at 0.
          </p>
          <Button
            variant="secondary"
            size="sm"
            pending={busy}
            onClick={() => void settle()}
            className="px-3! text-data!"
          >
            All these options expired worthless
          </Button>
        </div>
      )}
      {settled && (
        <p role="status" className="flex flex-wrap items-center gap-x-4">
          {plural(settled.added, "option", "options")} settled at ₹0.
          <Button
            variant="quiet"
            size="sm"
            pending={busy}
            onClick={() => void undo(settled)}
            className="text-data!"
          >
            Undo
          </Button>
        </p>
      )}
      {failure && (
        <p role="alert" className="mt-2 font-semibold text-loss">
          {failure}
        </p>
      )}
    </div>
  );
}
