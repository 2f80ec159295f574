import { useEffect, useRef } from "react";
import { FileReview } from "#features/import/file-review.tsx";
import { inPhase } from "#features/import/import-item.ts";
import { addedText, importLabel, restText, reviewTotals } from "#features/import/preview-text.ts";
import type { FileImports } from "#features/import/use-import.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";

/** Review of all files with issues or conflicts, with one button that imports them. */
export function ImportReview({ fileImports, shown }: { fileImports: FileImports; shown: boolean }) {
  const items = inPhase(fileImports.items, "review");
  const heading = useRef<HTMLHeadingElement>(null);
  const changed = items.some(({ state }) => state.phase === "review" && state.changed);
  const totals = reviewTotals(items);
  // After a reload the trader has not pressed a button, so the focus stays at the top of the page.
  const submitted = items.some(({ file }) => file) || changed;

  useEffect(() => {
    if (shown && submitted) heading.current?.focus();
  }, [shown, submitted]);

  return (
    <section aria-label="Review" className="mt-9">
      <h2 ref={heading} tabIndex={-1} className="text-h3">
        Review the rows
      </h2>
      <p className="mt-1 text-data text-ink-2">
        Not imported yet. Row and cell numbers are those of your file.
      </p>
      {changed && (
        <Banner
          tone="warn"
          role="alert"
          title="Your trades have changed since. These are the new counts."
          className="mt-4"
        >
          Nothing was imported. Review the rows and import again.
        </Banner>
      )}
      {items.map(
        ({ id, preview, choices }) =>
          preview && (
            <FileReview
              key={id}
              preview={preview}
              choices={choices}
              onChoose={(chosen) => fileImports.decide(id, chosen)}
              onAccount={(account) => fileImports.chooseAccount(id, account)}
            />
          ),
      )}
      <div
        data-sticky-bar
        className="sticky bottom-0 z-10 -mx-4 mt-6 max-sm:bottom-16 -mb-12 flex flex-wrap items-center justify-between gap-x-6 gap-y-2.5 border-line border-t bg-bg px-4 py-3 desk:-mx-8 desk:px-8"
      >
        <p role="status" className="min-w-0 flex-1 basis-64 text-ui">
          <strong className="font-semibold">{addedText(totals)}</strong>{" "}
          <span className="text-ink-2">{restText(totals)}</span>
        </p>
        <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-3 max-sm:w-full">
          <Button variant="secondary" onClick={fileImports.discard}>
            Cancel
          </Button>
          <Button onClick={fileImports.store}>{importLabel(totals)}</Button>
        </div>
      </div>
    </section>
  );
}
