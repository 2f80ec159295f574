import { Image } from "lucide-react";
import type { JournalEntry } from "#features/trader-journal/journal-entry.ts";
import { screenshotsOf } from "#features/trader-journal/screenshots/screenshot.ts";
import { plural } from "#lib/format.ts";

/** Icon with the number of screenshots of an entry; nothing if it has none. */
export function ScreenshotCount({ entry }: { entry: JournalEntry | undefined }) {
  const total = screenshotsOf(entry).length;
  if (total === 0) return null;
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap text-data text-ink-2">
      <Image size={15} aria-hidden />
      <span aria-hidden="true" className="figures">
        {total}
      </span>
      <span className="sr-only">{plural(total, "screenshot")}</span>
    </span>
  );
}
