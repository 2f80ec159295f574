import type { EntrySaver, SaverState } from "#features/trader-journal/entry-saver.ts";
import { dateTime, time } from "#lib/format.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";

type SaverProps = { saver: EntrySaver; state: SaverState };

/** State of saving in one line. */
export function SaveStatus({ state }: { state: SaverState }) {
  return (
    <p role="status" className="text-data text-ink-3">
      {statusText(state)}
    </p>
  );
}

function statusText({ status, version, message }: SaverState): string {
  if (status === "saved") return version > 0 ? "Saved" : "Saved as you type";
  if (status === "changed" || status === "saving") return "Saving…";
  if (status === "failed") return "Not saved yet. Kept in this browser, and saved when you are online.";
  if (status === "rejected") return `Not saved. ${message}`;
  return "Changed in another window.";
}

/** Both versions of a conflict, and unsaved texts of other tabs. */
export function SaveConflicts({ saver, state }: SaverProps) {
  const { stored } = state;
  return (
    <>
      {state.status === "conflict" && stored && (
        <div role="alert" className="mb-4 rounded-panel border border-warn p-4">
          <p className="font-semibold">This was changed in another window. Both versions are kept.</p>
          <div className="mt-3 grid gap-4 sm:grid-cols-2">
            <Version title={`Saved at ${time(stored.updatedAt)}`} plan={stored.plan} note={stored.note} />
            <Version title="Written here" plan={state.content.plan} note={state.content.note} />
          </div>
          <div className="mt-4 flex flex-wrap gap-2">
            <Button size="sm" onClick={() => void saver.resolve("both")}>
              Keep both
            </Button>
            <Button size="sm" variant="secondary" onClick={() => void saver.resolve("edited")}>
              Keep mine only
            </Button>
            <Button size="sm" variant="secondary" onClick={() => void saver.resolve("stored")}>
              Keep the saved one only
            </Button>
          </div>
        </div>
      )}
      {state.otherDrafts.map((draft) => (
        <Banner
          key={draft.id}
          tone="warn"
          role="status"
          className="mb-4"
          title={`Unsaved text of ${dateTime(draft.savedAt)} from another tab or an earlier visit`}
          actions={
            <>
              <Button size="sm" variant="secondary" onClick={() => void saver.takeDraft(draft, true)}>
                Add it here
              </Button>
              <Button size="sm" variant="quiet" onClick={() => void saver.takeDraft(draft, false)}>
                Delete it
              </Button>
            </>
          }
        >
          <span className="line-clamp-2">{draft.content.note || draft.content.plan}</span>
        </Banner>
      ))}
    </>
  );
}

function Version({ title, plan, note }: { title: string; plan: string; note: string }) {
  return (
    <div className="min-w-0">
      <p className="font-semibold text-data text-ink-2">{title}</p>
      {[plan, note].filter(Boolean).map((text) => (
        <p key={text} className="mt-1 max-h-40 overflow-y-auto whitespace-pre-wrap break-words text-data">
          {text}
        </p>
      ))}
    </div>
  );
}
