import { Link } from "react-router";
import { entryPath, entryTitle } from "#features/trader-journal/entry-title.ts";
import type { JournalEntry } from "#features/trader-journal/journal-entry.ts";
import { ScreenshotCount } from "#features/trader-journal/screenshots/screenshot-count.tsx";

/** Entry of a list, with a link to its page. */
export function EntryItem({ entry }: { entry: JournalEntry }) {
  const labels = [entry.setup, ...entry.tags, ...entry.mistakes, entry.emotion].filter(Boolean);
  return (
    <li className="relative border-line border-b py-3 hover:bg-sunken">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <Link to={entryPath(entry)} className="font-semibold after:absolute after:inset-0">
          {entryTitle(entry)}
        </Link>
        <span className="text-data text-ink-2">{labels.join(" · ")}</span>
        <ScreenshotCount entry={entry} />
        {entry.rating && <span className="ml-auto text-data text-ink-2">{`${entry.rating} of 5`}</span>}
      </div>
      {entry.note && <p className="mt-1 line-clamp-2 text-data text-ink-2">{entry.note}</p>}
    </li>
  );
}
