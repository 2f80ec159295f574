import { type ImportItem, inPhase } from "#features/import/import-item.ts";
import { ImportProgress } from "#features/import/import-progress.tsx";
import type { FileImports } from "#features/import/use-import.ts";
import { plural } from "#lib/format.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";

/** Status of an import above the trade log: progress, files to review, or failures. */
export function ImportStatusBanner({
  fileImports,
  onOpenForm,
}: {
  fileImports: FileImports;
  onOpenForm: () => void;
}) {
  const { items } = fileImports;
  const [running] = inPhase(items, "sending", "storing");
  const content = running ? undefined : bannerContent(items);
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
            onClick={() => fileImports.cancel(running.id)}
          >
            Cancel
          </Button>
        </div>
      )}
      {content && (
        <Banner
          {...content}
          role="alert"
          className="mt-6"
          actions={
            <Button size="sm" variant="secondary" onClick={onOpenForm}>
              Go to the import
            </Button>
          }
        >
          {content.text}
        </Banner>
      )}
    </>
  );
}

function bannerContent(items: readonly ImportItem[]) {
  const toReview = inPhase(items, "mismatch", "review");
  if (toReview.length > 0) {
    return {
      tone: "warn",
      title:
        toReview.length > 1 ? `${toReview.length} files need review.` : `${toReview[0]?.name} needs review.`,
      text: "Not imported yet.",
    } as const;
  }
  const failed = inPhase(items, "failed");
  const [first] = failed;
  if (first?.state.phase !== "failed") return undefined;
  const { title, text } = first.state.failure;
  return failed.length > 1
    ? ({
        tone: "loss",
        title: `${plural(failed.length, "file was", "files were")} not imported.`,
        text: "",
      } as const)
    : ({ tone: "loss", title: `${first.name}: ${title}`, text } as const);
}
