import { count } from "#lib/format.ts";
import { Button } from "#ui/button.tsx";

/** Number of entries shown at a time. */
export const PAGE = 100;

export type ShowMoreProps = { shown: number; of: number; onMore: () => void };

/** Button that shows more entries of a long list. */
export function ShowMore({ shown, of, onMore }: ShowMoreProps) {
  if (of <= shown) return null;
  return (
    <p className="flex flex-wrap items-center gap-x-4 gap-y-2 border-line border-t px-4 py-3 text-data text-ink-2 sm:px-6">
      {count(shown)} of {count(of)} are shown.
      <Button size="sm" variant="secondary" onClick={onMore} data-print="no">
        Show {count(Math.min(PAGE, of - shown))} more
      </Button>
    </p>
  );
}
