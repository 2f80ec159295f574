import { useEffect, useRef } from "react";
import { FileReview } from "#features/import/file-review.tsx";
import { inPhase } from "#features/import/import-item.ts";
import { goesIn, importWord, staysOut, sumOf } from "#features/import/preview-words.ts";
import type { Importing } from "#features/import/use-import.ts";
import { Banner } from "#ui/banner.tsx";
import { Button } from "#ui/button.tsx";

/** Everything that has to be seen or decided before it goes in, and the one press for all of it. */
export function ImportReview({ importing, shown }: { importing: Importing; shown: boolean }) {
  const items = inPhase(importing.items, "review");
  const heading = useRef<HTMLHeadingElement>(null);
  const changed = items.some(({ state }) => state.phase === "review" && state.changed);
  const sum = sumOf(items);
  // After a reload nobody has pressed anything: the page begins at its top.
  const pressed = items.some(({ file }) => file) || changed;

  useEffect(() => {
    if (shown && pressed) heading.current?.focus();
  }, [shown, pressed]);

  return (
    <section aria-label="Review" className="mt-9">
      <h2 ref={heading} tabIndex={-1} className="text-h3">
        Review the rows
      </h2>
      <p className="mt-1 text-data text-ink-2">
        Nothing of it is stored yet. Rows and cells are as you see them in the file.
      </p>
      {changed && (
        <Banner
          tone="warn"
          role="alert"
          title="Your trades have changed since. These are the new counts."
          className="mt-4"
        >
          Nothing was stored. Look once more, and import again.
        </Banner>
      )}
      {items.map(
        ({ id, preview, choices }) =>
          preview && (
            <FileReview
              key={id}
              preview={preview}
              choices={choices}
              onChoose={(chosen) => importing.decide(id, chosen)}
            />
          ),
      )}
      <div
        data-sticky-bar
        className="sticky bottom-0 z-10 -mx-4 mt-6 -mb-12 flex flex-wrap items-center justify-between gap-x-6 gap-y-2.5 border-line border-t bg-bg px-4 py-3 desk:-mx-8 desk:px-8"
      >
        <p role="status" className="min-w-0 flex-1 basis-64 text-ui">
          <strong className="font-semibold">{goesIn(sum)}</strong>{" "}
          <span className="text-ink-2">{staysOut(sum)}</span>
        </p>
        <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-3 max-sm:w-full">
          <Button variant="secondary" onClick={importing.discard}>
            Cancel
          </Button>
          <Button onClick={importing.store}>{importWord(sum)}</Button>
        </div>
      </div>
    </section>
  );
}
