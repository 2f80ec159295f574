import { Link } from "react-router";
import { longDay } from "#features/trader-journal/days.ts";
import type { JournalEntry } from "#features/trader-journal/journal-entry.ts";
import { positionPath } from "#lib/analytics-paths.ts";
import { date } from "#lib/format.ts";

/** Returns the page of an entry. */
function entryPath({ kind, key, day }: JournalEntry): string {
  if (kind === "week" || kind === "month") return `/journal/${day}?period=${kind}`;
  return kind === "day" ? `/journal/${day}` : positionPath(encodeURIComponent(key));
}

function entryTitle(entry: JournalEntry): string {
  if (entry.kind === "day") return longDay(entry.day);
  if (entry.kind === "week") return `Week from ${date(entry.day)}`;
  if (entry.kind === "month") return `Month from ${date(entry.day)}`;
  return `${entry.symbol || entry.key}, ${date(entry.day)}`;
}

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
        {entry.rating && <span className="ml-auto text-data text-ink-2">{`${entry.rating} of 5`}</span>}
      </div>
      {entry.note && <p className="mt-1 line-clamp-2 text-data text-ink-2">{entry.note}</p>}
    </li>
  );
}
