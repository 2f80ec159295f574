import { Link } from "react-router";
import { EntryItem } from "#features/trader-journal/entry-item.tsx";
import { FiguresLine } from "#features/trader-journal/group-figures.tsx";
import type { JournalSubject } from "#features/trader-journal/journal-entry.ts";
import { MarginSection } from "#features/trader-journal/margin-section.tsx";
import { $api } from "#lib/api-query.ts";

/** Number of listed entries. */
const SHOWN = 5;

type SameSetupProps = {
  setup: string;
  /** Subject of the page, which is not listed. */
  subject: JournalSubject;
};

/**
 * Last other positions or strategies with a setup, and the track record of the positions; nothing if there is no other.
 */
export function SameSetup({ setup, subject: { kind, key } }: SameSetupProps) {
  const filter = { setup, kind };
  const latest = $api.useQuery(
    "get",
    "/journal/search",
    { params: { query: { ...filter, limit: SHOWN + 1 } } },
    { staleTime: 0 },
  );
  const all = $api.useQuery(
    "get",
    "/journal/groups",
    { params: { query: { ...filter, by: "none", figures: true } } },
    // Figures are computed for positions only.
    { enabled: kind === "position", staleTime: 0 },
  );
  const others = latest.data?.entries.filter((entry) => entry.key !== key).slice(0, SHOWN) ?? [];
  if (others.length === 0) return null;
  const figures = all.data?.groups[0]?.figures;
  return (
    <MarginSection title="Same setup">
      {figures && <FiguresLine figures={figures} />}
      <ul className="mt-2 border-line border-t">
        {others.map((entry) => (
          <EntryItem key={entry.id} entry={entry} />
        ))}
      </ul>
      <Link
        to={`/journal?setup=${encodeURIComponent(setup)}`}
        className="inline-flex min-h-11 items-center text-brand text-ui underline"
      >
        {`All entries with ${setup}`}
      </Link>
    </MarginSection>
  );
}
