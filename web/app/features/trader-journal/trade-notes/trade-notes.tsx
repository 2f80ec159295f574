import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { refreshJournal } from "#features/trader-journal/journal-queries.ts";
import {
  type CopyProgress,
  copyTradeNotes,
  countNotedTrades,
  NOTHING_COPIED,
  undoChanges,
} from "#features/trader-journal/trade-notes/copy-trade-notes.ts";
import { copiedText } from "#features/trader-journal/trade-notes/texts.ts";
import { count, plural } from "#lib/format.ts";
import { errorMessage } from "#lib/problem.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";

type State = "idle" | "copying" | "copied" | "undoing";

/** Copies the notes of trades in the Trade Log to the entries of their positions. Nothing if no trade has notes. */
export function TradeNotes() {
  const client = useQueryClient();
  const { data: total } = useQuery({ queryKey: ["noted-trades"], queryFn: countNotedTrades, staleTime: 0 });
  const [state, setState] = useState<State>("idle");
  const [progress, setProgress] = useState<CopyProgress>(NOTHING_COPIED);
  const [failure, setFailure] = useState("");
  const copying = useRef<AbortController>(undefined);
  useEffect(() => () => copying.current?.abort(), []);
  if (!total) return null;

  async function run(busy: State, work: () => Promise<void>, done: State) {
    setState(busy);
    setFailure("");
    try {
      await work();
      setState(done);
    } catch (error) {
      setState("copied");
      setFailure(errorMessage(error));
    }
    await refreshJournal(client);
  }
  const copy = () => {
    // A repeated attempt keeps the changes of the one that failed, so that Undo covers both.
    const earlier = failure ? progress.changeIds : [];
    copying.current = new AbortController();
    const { signal } = copying.current;
    setProgress({ ...NOTHING_COPIED, changeIds: earlier });
    return run("copying", () => copyTradeNotes(earlier, setProgress, signal), "copied");
  };
  const undo = () => run("undoing", () => undoChanges(progress.changeIds), "idle");
  const isBusy = state === "copying" || state === "undoing";
  const canUndo = progress.changeIds.length > 0 && state !== "copying" && state !== "idle";
  return (
    <details className="mt-8 border-line border-y">
      <summary className="min-h-11 cursor-pointer py-2.5 text-ui">
        {`${plural(total, "trade")} in the Trade Log ${total === 1 ? "has" : "have"} notes`}
      </summary>
      <p className="max-w-prose text-data text-ink-2">
        Copy them into the journal to read them on the page of their position and to find them by search.
        Tags, setup and psychology are copied, too. The notes in the Trade Log stay, and nothing that you
        wrote in the journal changes.
      </p>
      <div className="flex flex-wrap items-center gap-3 py-3">
        <Button
          variant="secondary"
          size="sm"
          pending={state === "copying"}
          disabled={isBusy}
          onClick={() => void copy()}
        >
          Copy notes into the journal
        </Button>
        {state === "copying" && (
          <>
            <progress
              className="accent-brand"
              max={total}
              value={progress.trades}
              aria-label="Copied trades"
            />
            <span className="text-data text-ink-2">{`${count(progress.trades)} of ${plural(total, "trade")}`}</span>
          </>
        )}
      </div>
      {(state === "copied" || state === "undoing") && (
        <Banner
          tone={failure ? "loss" : "gain"}
          role={failure ? "alert" : "status"}
          title={failure || copiedText(progress)}
          className="mb-3"
          actions={
            canUndo && (
              <Button size="sm" variant="quiet" pending={state === "undoing"} onClick={() => void undo()}>
                Undo
              </Button>
            )
          }
        >
          {failure && progress.changeIds.length > 0 && "Some notes are copied. Copy again to continue."}
        </Banner>
      )}
    </details>
  );
}
