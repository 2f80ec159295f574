import { count } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";

/** Number of entries shown at a time. */
export const PAGE_SIZE = 100;

export type ShowMoreProps = { shown: number; total: number; onMore: () => void };

/** Button that shows more entries of a long list. */
export function ShowMore({ shown, total, onMore }: ShowMoreProps) {
  if (total <= shown) return null;
  return (
    <p className="flex flex-wrap items-center gap-x-4 gap-y-2 border-line border-t px-4 py-3 text-data text-ink-2 sm:px-6">
      Showing {count(shown)} of {count(total)}.
      <Button size="sm" variant="secondary" onClick={onMore} data-print="no">
        Show {count(Math.min(PAGE_SIZE, total - shown))} more
      </Button>
    </p>
  );
}
