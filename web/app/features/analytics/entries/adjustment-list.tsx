import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { FRESH } from "#features/analytics/analytics-api.ts";
import { adjustmentWords } from "#features/analytics/entries/adjustment-words.ts";
import { refreshAnalytics } from "#features/analytics/entries/refresh.ts";
import { useReader } from "#features/analytics/reader.ts";
import { api } from "#lib/api.ts";
import { $api } from "#lib/api-query.ts";
import { failureLine, NO_ANSWER } from "#lib/problem.ts";
import { Button } from "#ui/button.tsx";

/** What was entered; each can be taken back, and everything is reckoned without it. */
export function AdjustmentList() {
  const reader = useReader();
  const client = useQueryClient();
  const [busy, setBusy] = useState("");
  const [failure, setFailure] = useState("");
  const { data } = $api.useQuery("get", "/analytics/adjustments", { ...reader.init }, FRESH);
  const entries = data?.adjustments ?? [];

  async function takeBack(id: string) {
    setBusy(id);
    setFailure("");
    try {
      const { error, response } = await api.DELETE("/analytics/adjustments/{id}", {
        params: { path: { id } },
      });
      if (response.ok) await refreshAnalytics(client);
      else setFailure(failureLine(response, error));
    } catch (error) {
      console.error(error);
      setFailure(NO_ANSWER);
    }
    setBusy("");
  }

  if (entries.length === 0) return null;
  return (
    <div className="border-line border-t px-4 py-4 sm:px-6">
      <h3 className="font-sans font-semibold text-ui tracking-normal">What you entered</h3>
      <ul className="mt-1 text-data">
        {entries.map((entry) => (
          <li
            key={entry.id}
            className="flex flex-wrap items-center justify-between gap-x-4 border-line py-1 not-last:border-b"
          >
            {adjustmentWords(entry)}
            {reader.own && (
              <Button
                variant="quiet"
                size="sm"
                pending={busy === entry.id}
                onClick={() => void takeBack(entry.id)}
                className="text-data!"
                data-print="no"
              >
                {/* In one piece: between two there would be a blank. */}
                <span className="sr-only">{`Take back: ${adjustmentWords(entry)}`}</span>
                <span aria-hidden="true">Take back</span>
              </Button>
            )}
          </li>
        ))}
      </ul>
      {failure && (
        <p role="alert" className="mt-2 font-semibold text-data text-loss">
          {failure}
        </p>
      )}
    </div>
  );
}
