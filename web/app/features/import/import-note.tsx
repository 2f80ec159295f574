import { type ImportItem, inPhase } from "#features/import/import-item.ts";
import { ImportProgress } from "#features/import/import-progress.tsx";
import type { Importing } from "#features/import/use-import.ts";
import { plural } from "#lib/format.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";

/** At the head of the log: an import that goes on, asks, or failed, while one looks at the trades. */
export function ImportNote({ importing, onOpen }: { importing: Importing; onOpen: () => void }) {
  const { items } = importing;
  const [running] = inPhase(items, "sending", "storing");
  const note = running ? undefined : noteOf(items);
  return (
    <>
      {running && (
        <div className="mt-6 flex items-center gap-5 rounded-panel border border-line bg-surface px-5 py-4">
          <div className="min-w-0 flex-1">
            <p className="mb-2 break-words font-semibold text-ui">{running.name}</p>
            <ImportProgress item={running} />
          </div>
          <Button
            size="sm"
            variant="secondary"
            aria-label={`Cancel ${running.name}`}
            onClick={() => importing.cancel(running.id)}
          >
            Cancel
          </Button>
        </div>
      )}
      {note && (
        <Banner
          {...note}
          role="alert"
          className="mt-6"
          actions={
            <Button size="sm" variant="secondary" onClick={onOpen}>
              Go to the import
            </Button>
          }
        >
          {note.text}
        </Banner>
      )}
    </>
  );
}

function noteOf(items: readonly ImportItem[]) {
  const asked = inPhase(items, "mismatch", "review");
  if (asked.length > 0) {
    const many = asked.length > 1;
    return {
      tone: "warn",
      title: many
        ? `${asked.length} files wait for your answer.`
        : `${asked[0]?.name} waits for your answer.`,
      text: "Nothing of it is stored yet.",
    } as const;
  }
  const broken = inPhase(items, "failed");
  const [first] = broken;
  if (first?.state.phase !== "failed") return undefined;
  const { title, text } = first.state.failure;
  return broken.length > 1
    ? ({
        tone: "loss",
        title: `${plural(broken.length, "file was", "files were")} not imported.`,
        text: "",
      } as const)
    : ({ tone: "loss", title: `${first.name}: ${title}`, text } as const);
}
