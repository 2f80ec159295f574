import { count } from "#lib/format.ts";
import type { Rating } from "#lib/json-ld.ts";

/** What search engines are told, in words. */
export function RatingLine({ rating: { value, count: ratings } }: { rating: Rating }) {
  return (
    <p className="flex items-center gap-2.5 text-data">
      <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true" className="shrink-0 fill-marigold">
        <path d="m10 1 2.8 5.9 6.4.8-4.7 4.5 1.2 6.4L10 15.5l-5.7 3.1 1.2-6.4L.8 7.7l6.4-.8z" />
      </svg>
      <span>
        <strong className="block font-semibold">{value} out of 5</strong>
        <span className="text-ink-2">{count(ratings)} ratings</span>
      </span>
    </p>
  );
}
